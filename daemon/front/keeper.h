/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Modules kept on disk, each once, under its SHA-256, so that a job can be run again. Within a quota: those that were
 * not used for the longest time go first; those of pinned jobs and of jobs under way stay.
 *
 * A file appears whole or not at all (temporary name, sync, rename). Copying is cut in slices, each of them synced, so
 * that the loop answers others between them. What cannot be kept is an outcome, with words: the job goes on.
 */

#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef struct History History;
typedef struct Keeper Keeper;
typedef struct Keeping Keeping;
typedef struct StoredModule StoredModule;

enum {
        _KEEPER_E_SUCCESS,

        KEEPER_E_MORE,    /* not all is copied yet */
        KEEPER_E_FAILED,  /* it is not kept: keeping_words() says why */
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

/* Begins to keep @module, which is hashed and open, and stays the caller's. Returns 0 or a negative errno. */
int keeping_new(Keeper *keeper, const StoredModule *module, Keeping **ret_keeping);
Keeping *keeping_free(Keeping *keeping);

/* Copies the next slice. Returns 0 when all is kept, E_MORE, or E_FAILED. */
int keeping_step(Keeping *keeping, uint64_t now_unix_ns);

/* Why it failed. */
const char *keeping_words(const Keeping *keeping);

/*
 * Lends what is kept as @sha256 (in hexadecimal; any text), and notes that it is used. Whether it is still what was kept is
 * for the borrower to check. Returns 0, E_MISSING, E_DAMAGED, E_BUSY, or a negative errno.
 */
int keeper_lend(Keeper *keeper, const char *sha256, uint64_t now_unix_ns, KeptFile *ret_file);
void keeper_return(Keeper *keeper, KeptFile *file);

/* Keeps @sha256 no longer: it is not what its name says, and the next job that brings it shall find room for a good one. */
void keeper_discard(Keeper *keeper, const char *sha256);
