/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Module store: the modules of jobs on disk, each file once, under its SHA-256, so that a job can be run again.
 *
 * A file is held by each user who brought it, and each is charged with all of it. A user beyond the quota of one user
 * loses what that user used longest ago. If the store is full, the user who holds most loses something, if that is more than
 * the one who stores would hold then; so many modules of one push out no module of another who has fewer. Modules of
 * pinned jobs and of jobs under way stay. A file goes with its last holder.
 *
 * A file appears whole or not at all: until it is complete and synced it is a draft under another name. Drafts are
 * written in slices, so that the loop serves others between them, and synced and named by the database's thread, before its row is. A module that cannot be stored
 * is an outcome, with words: its job goes on.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/share.h"
#include "util/cleanup.h"

typedef struct History History;
typedef struct ModuleStore ModuleStore;
typedef struct ModuleStoreDraft ModuleStoreDraft;
typedef struct SealedModule SealedModule;

enum {
        _MODULE_STORE_E_SUCCESS,

        MODULE_STORE_E_MORE,     /* not done yet: call again */
        MODULE_STORE_E_FAILED,   /* the module cannot be stored */
        MODULE_STORE_E_MISSING,  /* never stored, or removed since */
        MODULE_STORE_E_DAMAGED,  /* the file cannot be the one that was stored */
        MODULE_STORE_E_BUSY,     /* too much is lent to this user already */
        MODULE_STORE_E_ALL_BUSY, /* ... to all users together */
};

/* The bytes of files that there may be, and that one user may hold. */
typedef struct ModuleStoreQuota {
        uint64_t all_bytes;
        uint64_t user_bytes;
} ModuleStoreQuota;

/*
 * Opens the store in @directory, which is made if need be, with room for @quota, and notes its files in @history.
 * Drafts of an earlier daemon are removed. Returns 0 or a negative errno.
 */
int module_store_new(const char *directory, ModuleStoreQuota quota, History *history, Shares *shares,
                ModuleStore **ret_store);
ModuleStore *module_store_free(ModuleStore *store);

DEFINE_CLEANUP(ModuleStore *, module_store_free)

/* ---- storing */

/*
 * Begins to store the files of @module for @uid. The module is hashed and open, and stays the caller's. Both have to outlive
 * the draft. Returns 0 or a negative errno.
 */
int module_store_draft_new(ModuleStore *store, uid_t uid, const SealedModule *module, ModuleStoreDraft **ret_draft);

/* Ends the draft; a file that is not complete is removed. */
ModuleStoreDraft *module_store_draft_free(ModuleStoreDraft *draft);
DEFINE_CLEANUP(ModuleStoreDraft *, module_store_draft_free)

/*
 * Writes the next slice; files that the store has already are left out. Returns 0 when all are stored, E_MORE, or
 * E_FAILED.
 */
int module_store_draft_step(ModuleStoreDraft *draft, uint64_t now_unix_ns);

/* The reason of E_FAILED. */
const char *module_store_draft_words(const ModuleStoreDraft *draft);

/* ---- lending */

/* A file of the store, lent to be read. */
typedef struct ModuleStoreFile {
        int fd;
        size_t size;     /* 1 to 64 MiB */
        ShareHold bytes; /* of the borrower's share: files are copied into memory */
} ModuleStoreFile;

/*
 * Lends the file @sha256 (in hexadecimal; any text) to @uid, and notes its use. The borrower checks that its content is
 * still the one that was stored. Returns 0, E_MISSING, E_DAMAGED, E_BUSY, or a negative errno.
 */
int module_store_lend(ModuleStore *store, uid_t uid, const char *sha256, uint64_t now_unix_ns,
                ModuleStoreFile *ret_file);
void module_store_return(ModuleStoreFile *file);

/* Removes the file @sha256, which is damaged: the next job that brings the module stores a good one. */
void module_store_discard(ModuleStore *store, const char *sha256);
