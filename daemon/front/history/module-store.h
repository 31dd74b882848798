/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Module store: the modules of jobs on disk, each file stored once under its SHA-256, so that a job can be run again.
 *
 * Every user who submitted a file holds it, and is charged its full size. A user over the quota per user loses the least recently used
 * file. If the store is full, the user who holds most loses a file, if that user holds more than the storing user would then hold; so many
 * modules of one user cannot push out those of a user who has fewer. Modules of pinned and of running jobs stay. A file is removed with its
 * last holder.
 *
 * A file appears complete or not at all: until it is complete and synced it is a draft under another name. Drafts are written in slices,
 * between which the loop serves others; the database's thread syncs and renames them before it syncs their rows. A module that cannot be
 * stored is an outcome, with words: its job goes on.
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
        MODULE_STORE_E_BUSY,     /* too many bytes are lent to this user */
        MODULE_STORE_E_ALL_BUSY, /* too many bytes are lent to all users together */
};

/* The limits on bytes: of all files, and per user. */
typedef struct ModuleStoreQuota {
        uint64_t all_bytes;
        uint64_t user_bytes;
} ModuleStoreQuota;

/*
 * Opens the store in @directory, created if missing, with room for @quota, and registers its files in @history. Removes
 * drafts of an earlier daemon. Returns 0 or a negative errno.
 */
int module_store_new(const char *directory, ModuleStoreQuota quota, History *history, Shares *shares,
                ModuleStore **ret_store);
ModuleStore *module_store_free(ModuleStore *store);

DEFINE_CLEANUP(ModuleStore *, module_store_free)

/* ---- storing */

/*
 * Begins to store the files of @module for @uid. The module must be hashed and open, and stays the caller's. Store and module must outlive
 * the draft. Returns 0 or a negative errno.
 */
int module_store_draft_new(ModuleStore *store, uid_t uid, const SealedModule *module, ModuleStoreDraft **ret_draft);

/* Ends the draft and removes an incomplete file. */
ModuleStoreDraft *module_store_draft_free(ModuleStoreDraft *draft);
DEFINE_CLEANUP(ModuleStoreDraft *, module_store_draft_free)

/* Writes the next slice; skips files that the store already has. Returns 0 when all are stored, E_MORE, or E_FAILED. */
int module_store_draft_step(ModuleStoreDraft *draft, uint64_t now_unix_ns);

/* The reason of E_FAILED. */
const char *module_store_draft_words(const ModuleStoreDraft *draft);

/* ---- lending */

/* A file of the store, lent for reading. */
typedef struct ModuleStoreFile {
        int fd;
        size_t size;     /* 1 to 64 MiB */
        ShareHold bytes; /* of the borrower's share: files are copied into memory */
} ModuleStoreFile;

/*
 * Lends the file @sha256 (hexadecimal; any text is safe) to @uid, and notes its use. The borrower must verify that the
 * content is still the stored one. Returns 0, E_MISSING, E_DAMAGED, E_BUSY, or a negative errno.
 */
int module_store_lend(ModuleStore *store, uid_t uid, const char *sha256, uint64_t now_unix_ns,
                ModuleStoreFile *ret_file);
void module_store_return(ModuleStoreFile *file);

/* Removes the damaged file @sha256: the next job with this module stores a good copy. */
void module_store_discard(ModuleStore *store, const char *sha256);
