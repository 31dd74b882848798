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

#include "front/complaint.h"
#include "ops/plan.h"

typedef struct Keeper Keeper;
typedef struct Recall Recall;
typedef struct Session Session;
typedef struct StoredModule StoredModule;

enum {
        _RECALL_E_SUCCESS,

        RECALL_E_BAD,  /* it cannot be recalled: the complaint says why */
        RECALL_E_MORE, /* not all is copied yet */
};

/* Recalls what the job that @run_id names gave, for @session. Returns 0, E_BAD, or a negative errno. */
int recall_new(const Session *session, const char *run_id, uint64_t now_unix_ns, Recall **ret_recall,
                Complaint *ret_complaint);

/*
 * Recalls what @earlier tells of, which it takes whatever becomes of it. Returns 0, E_BAD, or a negative errno. @keeper has
 * to outlive the recall.
 */
int recall_new_of(Keeper *keeper, Benchd__RunResult *earlier, uint64_t now_unix_ns, Recall **ret_recall,
                Complaint *ret_complaint);
Recall *recall_free(Recall *recall);

/* Copies the next slice. Returns 0 when all is copied, E_MORE, E_BAD, or a negative errno. */
int recall_step(Recall *recall, Complaint *ret_complaint);

/* The memfds, module first, for stored_module_new(): they stay the recall's until taken. */
int *recall_fds(Recall *recall, size_t *ret_n);

/* Checks that @module, hashed, is what was kept; what is not is kept no longer. Returns 0 or E_BAD. */
int recall_check(Recall *recall, const StoredModule *module, Complaint *ret_complaint);

/* What the job gave that is recalled; its names live as long as the recall. */
const Benchd__RunResult *recall_earlier(const Recall *recall);
const char *recall_module_name(const Recall *recall);
char **recall_library_names(Recall *recall, size_t *ret_n);
