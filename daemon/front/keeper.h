/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Modules kept on disk, each once, under its SHA-256, so that a job can be run again. Within a quota: those that were
 * not used for the longest time go first; those of pinned jobs and of jobs under way stay.
 *
 * A file appears whole or not at all: it is a draft under another name (front/keeping.h writes it) until it is kept.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef struct History History;
typedef struct Keeper Keeper;

enum {
        _KEEPER_E_SUCCESS,

        KEEPER_E_MORE,    /* more is to be done for it: again */
        KEEPER_E_FAILED,  /* it cannot be kept */
        KEEPER_E_MISSING, /* never kept, or gone since */
        KEEPER_E_DAMAGED, /* it cannot be what was kept */
        KEEPER_E_BUSY,    /* too much is lent already */
};

#define KEEPER_LENT_MAX ((size_t)128 << 20) /* at once: who borrows copies it into memory */

/* A file that is kept, and lent to be read. */
typedef struct KeptFile {
        int fd;
        size_t size; /* 1 to 64 MiB */
} KeptFile;

/*
 * Keeps modules in @directory, which is made if need be, at most @max_bytes of them, and notes them in @history. What
 * an earlier keeper left half done is removed. Returns 0 or a negative errno.
 */
int keeper_new(const char *directory, uint64_t max_bytes, History *history, Keeper **ret_keeper);
Keeper *keeper_free(Keeper *keeper);

DEFINE_CLEANUP(Keeper *, keeper_free)

/* Whether @sha256 is kept already; if so, it is used now. */
bool keeper_use(Keeper *keeper, const char *sha256, uint64_t now_unix_ns);

/* A file that is being written; its room is taken. */
typedef struct KeeperDraft {
        int fd; /* -1: there is none */
        char name[32];
        uint64_t bytes;
} KeeperDraft;

#define KEEPER_DRAFT_NULL ((KeeperDraft){ .fd = -1 })

/*
 * Opens a draft of @bytes. Returns 0, E_MORE where some of what has to go for it went, E_FAILED where there is no room within
 * the quota, or a negative errno.
 */
int keeper_draft_open(Keeper *keeper, uint64_t bytes, KeeperDraft *ret_draft);

/* Keeps @draft, whole and synced, as @sha256. Returns 0, E_FAILED where the history does not take it, or a negative errno. */
int keeper_draft_keep(Keeper *keeper, KeeperDraft *draft, const char *sha256, uint64_t now_unix_ns);

/* Removes @draft, if there is one. */
void keeper_draft_drop(Keeper *keeper, KeeperDraft *draft);

/* What the history said last. */
const char *keeper_words(const Keeper *keeper);

/*
 * Lends what is kept as @sha256 (in hexadecimal; any text), and notes that it is used. Whether it is still what was kept is
 * for the borrower to check. Returns 0, E_MISSING, E_DAMAGED, E_BUSY, or a negative errno.
 */
int keeper_lend(Keeper *keeper, const char *sha256, uint64_t now_unix_ns, KeptFile *ret_file);
void keeper_return(Keeper *keeper, KeptFile *file);

/* Keeps @sha256 no longer: it is not what its name says, and the next job that brings it shall find room for a good one. */
void keeper_discard(Keeper *keeper, const char *sha256);
