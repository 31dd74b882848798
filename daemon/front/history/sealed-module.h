/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A submitted module, or the inputs of a run: descriptors of sealed, immutable memfds, identified by their SHA-256.
 *
 * benchd reads them with pread() and never maps or parses them: their content is untrusted, and only a runner
 * interprets it. Hashing is cut into slices, between which the loop serves others.
 */

#include <stddef.h>

#include "front/base/reply-error.h"
#include "ops/runner-plan.h"
#include "util/cleanup.h"

typedef struct ShareHold ShareHold;
typedef struct SealedModule SealedModule;

enum {
        _SEALED_MODULE_E_SUCCESS,

        SEALED_MODULE_E_BAD,  /* an unacceptable descriptor: ret_why names it and the reason */
        SEALED_MODULE_E_MORE, /* not fully hashed yet */
};

/*
 * Takes the module and its libraries at @fds, the module first. On success the SealedModule owns the descriptors, *@fds are -1, and as much
 * of @held (NULL: not counted) is its own until it closes them. Returns 0, E_BAD, or a negative errno.
 */
int sealed_module_new(int *fds, size_t n_fds, ShareHold *held, SealedModule **ret_module, ReplyError *ret_why);

/* The same for the inputs of a run, none of which is a module. */
int sealed_inputs_new(int *fds, size_t n_fds, ShareHold *held, SealedModule **ret_inputs, ReplyError *ret_why);
SealedModule *sealed_module_free(SealedModule *module);
DEFINE_CLEANUP(SealedModule *, sealed_module_free)

/* Hashes the next slice. Returns 0 when all parts are hashed, E_MORE, or a negative errno. */
int sealed_module_hash(SealedModule *module);

/* The descriptors, to pass on. */
const int *sealed_module_fds(const SealedModule *module, size_t *ret_n);

/* Closes the descriptors: they were passed on. */
void sealed_module_close(SealedModule *module);

/* The SHA-256 of part @i (0: the module) in hexadecimal. */
const char *sealed_module_sha256(const SealedModule *module, size_t i);

/* The bytes of part @i. */
size_t sealed_module_size(const SealedModule *module, size_t i);
