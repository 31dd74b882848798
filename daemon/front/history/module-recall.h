/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What an earlier job measured, to be measured again: its module and libraries, taken out of where they are kept into
 * sealed memfds, as a client would have sent them. Copied a slice a turn of the loop, and checked by their hashes.
 *
 * Only a job that ended with a result can be recalled, for that names what was measured; and only by its own user or root.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/reply-error.h"
#include "ops/runner-plan.h"

typedef struct ModuleStore ModuleStore;
typedef struct ModuleRecall ModuleRecall;
typedef struct Session Session;
typedef struct SealedModule SealedModule;

enum {
        _MODULE_RECALL_E_SUCCESS,

        MODULE_RECALL_E_BAD,  /* it cannot be recalled: ret_why has the reason */
        MODULE_RECALL_E_MORE, /* not all is copied yet */
};

/* Recalls what the job that @run_id names gave, for @session. Returns 0, E_BAD, or a negative errno. */
int module_recall_new(const Session *session, const char *run_id, uint64_t now_unix_ns, ModuleRecall **ret_recall,
                ReplyError *ret_why);

/*
 * Recalls what @earlier tells of, which it takes whatever becomes of it. Returns 0, E_BAD, or a negative errno. @store has
 * to outlive the recall.
 */
int module_recall_new_of(ModuleStore *store, Benchd__RunResult *earlier, uint64_t now_unix_ns,
                ModuleRecall **ret_recall, ReplyError *ret_why);
ModuleRecall *module_recall_free(ModuleRecall *recall);

/* Copies the next slice. Returns 0 when all is copied, E_MORE, E_BAD, or a negative errno. */
int module_recall_step(ModuleRecall *recall, ReplyError *ret_why);

/* The memfds, module first, for sealed_module_new(): they stay the recall's until taken. */
int *module_recall_fds(ModuleRecall *recall, size_t *ret_n);

/* Checks that @module, hashed, is what was kept; what is not is kept no longer. Returns 0 or E_BAD. */
int module_recall_check(ModuleRecall *recall, const SealedModule *module, ReplyError *ret_why);

/* What the job gave that is recalled; its names live as long as the recall. */
const Benchd__RunResult *module_recall_earlier(const ModuleRecall *recall);
const char *module_recall_module_name(const ModuleRecall *recall);
char **module_recall_library_names(ModuleRecall *recall, size_t *ret_n);
