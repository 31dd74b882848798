/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The descriptors of one runner: the ends that stay with the launcher, and those that it is born with.
 */

#include <stddef.h>

#include "ops/runner-plan.h"

typedef struct Ticket Ticket;

/* The ends that stay here. Pipes never block at these ends. */
typedef struct ProcessFds {
        int ask;    /* words from the runner */
        int answer; /* to it */
        int block;
        int output;
} ProcessFds;

#define PROCESS_FDS_NULL                                                                                               \
 { .ask = -1, .answer = -1, .block = -1, .output = -1 }

/* Its own ends, and its plan: closed here once it is born. */
typedef struct NewbornFds {
        int plan;
        int ask;
        int answer;
} NewbornFds;

#define NEWBORN_FDS_NULL                                                                                               \
 { .plan = -1, .ask = -1, .answer = -1 }

/*
 * Makes them for a runner with @plan. Both arguments are null before; what was made until a failure is the caller's to close.
 * Returns 0 or a negative errno.
 */
int process_fds_make(const RunnerPlan *plan, ProcessFds *fds, NewbornFds *theirs);
void process_fds_close(ProcessFds *fds);
void process_fds_close_newborn(NewbornFds *theirs);

/*
 * Writes what it is born with into @fds of ZYGOTE_FDS_MAX, in the order of zygote.h: with the module and the libraries of each
 * of @tickets, one a side; NULL for a side that there is not; then the inputs of the first. Returns how many.
 */
size_t process_fds_gather(const ProcessFds *ours, const NewbornFds *theirs,
                const Ticket *const tickets[static RUNNER_SIDES_MAX], int *fds);
