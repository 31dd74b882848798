/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Modules as submitted: descriptors of memfds that nobody can change any more, known by their SHA-256.
 *
 * benchd reads them with pread() a slice at a time, never maps and never parses them: what is inside is a stranger's,
 * and a runner's to find out. Hashing is cut in slices, so that the loop answers others between them.
 */

#include <stddef.h>

#include "front/complaint.h"
#include "ops/plan.h"

typedef struct StoredModule StoredModule;

enum {
        _STORE_E_SUCCESS,

        STORE_E_BAD,  /* a descriptor that is not acceptable: the complaint says which and why */
        STORE_E_MORE, /* not all is hashed yet */
};

/*
 * Takes the module and its libraries at @fds, the module first. On success the descriptors are the module's own and
 * *@fds are -1. Returns 0, E_BAD, or a negative errno.
 */
int stored_module_new(int *fds, size_t n_fds, StoredModule **ret_module, Complaint *ret_complaint);
StoredModule *stored_module_free(StoredModule *module);

/* Hashes the next slice. Returns 0 when all is hashed, E_MORE, or a negative errno. */
int stored_module_hash(StoredModule *module);

/* The descriptors, to pass on. */
const int *stored_module_fds(const StoredModule *module, size_t *ret_n);

/* Closes the descriptors: they were passed on. */
void stored_module_close(StoredModule *module);

/* The SHA-256 of part @i (0: the module) in hexadecimal. */
const char *stored_module_sha256(const StoredModule *module, size_t i);

/* The bytes of part @i. */
size_t stored_module_size(const StoredModule *module, size_t i);
