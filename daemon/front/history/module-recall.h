/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Recall of an earlier job's module, to measure it again: the module and its libraries are copied from the store into
 * sealed memfds, as a client would have sent them, one slice per turn of the loop, and verified by their hashes.
 *
 * Only a job that ended with a result can be recalled, since the result names its module. Only its own user or root may
 * recall it.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "ops/runner-plan.h"
#include "util/cleanup.h"

typedef struct ModuleStore ModuleStore;
typedef struct ModuleRecall ModuleRecall;
typedef struct SealedModule SealedModule;

enum {
        _MODULE_RECALL_E_SUCCESS,

        MODULE_RECALL_E_BAD,  /* the job cannot be recalled: ret_why has the reason */
        MODULE_RECALL_E_MORE, /* not fully copied yet */
};

/*
 * Recalls for @uid the module of the result @earlier, which the call takes even if it fails. @store must outlive the recall. Returns 0,
 * E_BAD, or a negative errno.
 */
int module_recall_new_of(ModuleStore *store, uid_t uid, Benchd__RunResult *earlier, uint64_t now_unix_ns,
                ModuleRecall **ret_recall, ReplyError *ret_why);
ModuleRecall *module_recall_free(ModuleRecall *recall);
DEFINE_CLEANUP(ModuleRecall *, module_recall_free)

/* Copies the next slice. Returns 0 when all files are copied, E_MORE, E_BAD, or a negative errno. */
int module_recall_step(ModuleRecall *recall, ReplyError *ret_why);

/* The memfds, module first, for sealed_module_new(); owned by the recall until taken. */
int *module_recall_fds(ModuleRecall *recall, size_t *ret_n);

/* Checks that @module (hashed) is the stored one; removes damaged files from the store. Returns 0 or E_BAD. */
int module_recall_check(ModuleRecall *recall, const SealedModule *module, ReplyError *ret_why);

/* The result of the recalled job, and its names; valid until the recall is freed. */
const Benchd__RunResult *module_recall_earlier(const ModuleRecall *recall);
const char *module_recall_module_name(const ModuleRecall *recall);
char **module_recall_library_names(ModuleRecall *recall, size_t *ret_n);

/* The number of preloaded libraries, which come first in the list. */
size_t module_recall_preloaded(const ModuleRecall *recall);
