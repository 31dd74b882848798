/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Keeping one module: its files are copied to the keeper, those that it has already left out. Copying is cut in slices, each
 * of them synced, so that the loop answers others between them. What cannot be kept is an outcome, with words: the job goes
 * on.
 */

#include <stdint.h>

typedef struct Keeper Keeper;
typedef struct Keeping Keeping;
typedef struct StoredModule StoredModule;

/* Begins to keep @module, which is hashed and open, and stays the caller's. Returns 0 or a negative errno. */
int keeping_new(Keeper *keeper, const StoredModule *module, Keeping **ret_keeping);
Keeping *keeping_free(Keeping *keeping);

/* Copies the next slice. Returns 0 when all is kept, KEEPER_E_MORE, or KEEPER_E_FAILED. */
int keeping_step(Keeping *keeping, uint64_t now_unix_ns);

/* Why it failed. */
const char *keeping_words(const Keeping *keeping);
