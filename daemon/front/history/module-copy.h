/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * ModuleCopy one module: its files are copied to the store, those that it has already left out. Copying is cut in slices, each
 * of them synced, so that the loop answers others between them. What cannot be kept is an outcome, with words: the job goes
 * on.
 */

#include <stdint.h>

typedef struct ModuleStore ModuleStore;
typedef struct ModuleCopy ModuleCopy;
typedef struct SealedModule SealedModule;

/* Begins to keep @module, which is hashed and open, and stays the caller's. Returns 0 or a negative errno. */
int module_copy_new(ModuleStore *store, const SealedModule *module, ModuleCopy **ret_keeping);
ModuleCopy *module_copy_free(ModuleCopy *keeping);

/* Copies the next slice. Returns 0 when all is kept, MODULE_STORE_E_MORE, or MODULE_STORE_E_FAILED. */
int module_copy_step(ModuleCopy *keeping, uint64_t now_unix_ns);

/* Why it failed. */
const char *module_copy_words(const ModuleCopy *keeping);
