/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Modules kept on disk, each once, under its SHA-256, so that a job can be run again. Within a quota: those that were
 * not used for the longest time go first; those of pinned jobs and of jobs under way stay.
 *
 * A file appears whole or not at all: it is a draft under another name (front/history/module-copy.h writes it) until it is kept.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef struct History History;
typedef struct ModuleStore ModuleStore;

enum {
        _MODULE_STORE_E_SUCCESS,

        MODULE_STORE_E_MORE,    /* more is to be done for it: again */
        MODULE_STORE_E_FAILED,  /* it cannot be kept */
        MODULE_STORE_E_MISSING, /* never kept, or gone since */
        MODULE_STORE_E_DAMAGED, /* it cannot be what was kept */
        MODULE_STORE_E_BUSY,    /* too much is lent already */
};

#define KEEPER_LENT_MAX ((size_t)128 << 20) /* at once: who borrows copies it into memory */

/* A file that is kept, and lent to be read. */
typedef struct StoredFile {
        int fd;
        size_t size; /* 1 to 64 MiB */
} StoredFile;

/*
 * Keeps modules in @directory, which is made if need be, at most @max_bytes of them, and notes them in @history. What
 * an earlier store left half done is removed. Returns 0 or a negative errno.
 */
int module_store_new(const char *directory, uint64_t max_bytes, History *history, ModuleStore **ret_keeper);
ModuleStore *module_store_free(ModuleStore *store);

DEFINE_CLEANUP(ModuleStore *, module_store_free)

/* Whether @sha256 is kept already; if so, it is used now. */
bool module_store_use(ModuleStore *store, const char *sha256, uint64_t now_unix_ns);

/* A file that is being written; its room is taken. */
typedef struct ModuleStoreDraft {
        int fd; /* -1: there is none */
        char name[32];
        uint64_t bytes;
} ModuleStoreDraft;

#define KEEPER_DRAFT_NULL ((ModuleStoreDraft){ .fd = -1 })

/*
 * Opens a draft of @bytes. Returns 0, E_MORE where some of what has to go for it went, E_FAILED where there is no room within
 * the quota, or a negative errno.
 */
int module_store_draft_open(ModuleStore *store, uint64_t bytes, ModuleStoreDraft *ret_draft);

/* Keeps @draft, whole and synced, as @sha256. Returns 0, E_FAILED where the history does not take it, or a negative errno. */
int module_store_draft_keep(ModuleStore *store, ModuleStoreDraft *draft, const char *sha256, uint64_t now_unix_ns);

/* Removes @draft, if there is one. */
void module_store_draft_drop(ModuleStore *store, ModuleStoreDraft *draft);

/* What the history said last. */
const char *module_store_words(const ModuleStore *store);

/*
 * Lends what is kept as @sha256 (in hexadecimal; any text), and notes that it is used. Whether it is still what was kept is
 * for the borrower to check. Returns 0, E_MISSING, E_DAMAGED, E_BUSY, or a negative errno.
 */
int module_store_lend(ModuleStore *store, const char *sha256, uint64_t now_unix_ns, StoredFile *ret_file);
void module_store_return(ModuleStore *store, StoredFile *file);

/* Keeps @sha256 no longer: it is not what its name says, and the next job that brings it shall find room for a good one. */
void module_store_discard(ModuleStore *store, const char *sha256);
