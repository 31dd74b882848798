/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module of a job: a run and a list have one, a comparison the new and the old one. It comes with the request, or is
 * recalled from an earlier job; from then on both are alike.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/reply-error.h"
#include "front/plan/module-request.h"
#include "ops/sample-block.h"

typedef struct ModuleRecall ModuleRecall;
typedef struct Session Session;
typedef struct SealedModule SealedModule;

enum {
        _JOB_SIDE_E_SUCCESS,

        JOB_SIDE_E_BAD,  /* ret_why has the reason */
        JOB_SIDE_E_MORE, /* it is not ready yet */
};

typedef struct JobSide {
        ModuleRequest wants;   /* borrowed from the request, and from what is recalled */
        ModuleRecall *recall;  /* NULL: its module came with the request */
        SealedModule *module;  /* NULL until it is recalled */
        uint64_t ticket;       /* 0: none yet */
        ListingBlock *listing; /* until all sides are listed */
} JobSide;

/*
 * Makes the side that @wants what @session asked for, and takes of @fds what belongs to it, *@ret_taken. Returns 0, E_BAD, or
 * a negative errno; the side is to be cleared in any case.
 */
int job_side_init(JobSide *side, const ModuleRequest *wants, const Session *session, int *fds, size_t *ret_taken,
                ReplyError *ret_why);
void job_side_clear(JobSide *side);

/* Recalls and hashes some of it. Returns 0 when it is ready, E_MORE, E_BAD, or a negative errno. */
int job_side_prepare(JobSide *side, ReplyError *ret_why);

/*
 * Checks that the two sides, ready, fit into one process: a library that both bring is loaded once, so it has to be the same.
 * Returns 0 or E_BAD.
 */
int job_sides_check(const JobSide *new, const JobSide *old, ReplyError *ret_why);
