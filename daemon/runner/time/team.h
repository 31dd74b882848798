/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A team: the threads that run one benchmark, each with a body of its own and what is read beside its batches. A
 * benchmark of one thread runs on the process's first, which never gets a second: a process that ever had one is
 * another machine (benchd-methods(7)).
 *
 * In a team of several, the process's first thread is member 0 and leads; the others are workers, made before anything
 * is run. All do the same step at the same time: they wait at a gate, do it, and wait at the gate again. Within a batch
 * they meet once more, right before each reads its own clock. A batch is over when the last member's is.
 *
 * A member that leaves its benchmark in any way but to its end ends it for all. Those who still run get a moment to
 * come to the gate; then the process ends with its reason, since they may be waiting for the one that left.
 *
 * Each side of a comparison has its team in a process of its own; the process that leads has of the other one's team its last answer.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "runner/time/beside.h"
#include "runner/time/body.h"
#include "runner/time/lockstep.h"
#include "util/cleanup.h"

struct bench_descriptor;

typedef struct Team Team;

/*
 * Makes the team of side @side of @plan, whose workers' threads the launcher is told of. If it cannot return, its end
 * is reported in @head. All arguments must outlive it. Returns 0 or a negative errno.
 */
int team_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, uint32_t side, BodyStack stack,
                BlockHead *head, Team **ret_team);

/* Makes a team that stands for the one of the process that follows this one through @page: each step is asked of that. */
int team_new_other(const RunnerPlan *plan, LockstepPage *page, BlockHead *head, Team **ret_team);
Team *team_free(Team *team);
DEFINE_CLEANUP(Team *, team_free)

/* Each as of runner/time/body.h, of all members; the state is that of the first who does not wait. */
BodyState team_start(Team *team);
BodyState team_run_batch(Team *team, const LockstepBatch *batch);
BodyState team_finish(Team *team);
uint64_t team_iterations_max(const Team *team);

/* Reports how it ended; of several members with the one that left. */
void team_report_end(const Team *team);

/* Puts what all members told through bench_ops() and its like in @block; where it has no room for that, that is the end. */
void team_tell(const Team *team, SampleBlock *block);

size_t team_size(const Team *team);

/* The readings beside the batches of member @index. */
const Beside *team_beside(const Team *team, size_t index);

/* The batch that member @index ran last. */
const BodyBatch *team_batch(const Team *team, size_t index);

/* Which probes of the last batch of member @index were slow. */
BesideProbes team_probes(const Team *team, size_t index);

/* Tells whether the probes beside the last @n batches of any member took longer on average than alone. */
bool team_stretch_is_slow(const Team *team, uint32_t n);

/* Adds to @sample what was read beside the last batch of member @index; what the probes say only where they are @probed. */
void team_fill(const Team *team, size_t index, bool probed, Sample *sample);

/*
 * The words of all bodies of a process, put together. Operations, items and bytes are each thread's own, since it
 * goes through its iterations at its own pace; counters of one name are one number, the sum over the threads. Pure.
 */

/* Adds what @thread told to @block. False where there is no place for a counter of another name. */
bool team_tally_add(SampleBlock *block, uint32_t thread, const BodyTold *told);
