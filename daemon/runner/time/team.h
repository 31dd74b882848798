/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A team: the threads that run one benchmark, each with its own body and its own readings beside the batches. A benchmark of one
 * thread runs on the process's first thread, and the process never gets a second: one that ever had a second thread behaves
 * differently (benchd-methods(7)).
 *
 * In a team of several, the process's first thread is member 0 and leads; the others are workers, made before anything runs. All do
 * the same step at the same time: they wait at a gate, do the step, and wait at the gate again. Within a batch they meet once more,
 * right before each reads its own clock. A batch ends with the last member's.
 *
 * A member that leaves its benchmark early ends it for all. The other members get a moment to reach the gate; then the process ends
 * with the reason of the one that left, since they may be waiting for it.
 *
 * Each side of a comparison has its team in its own process; the leading process knows the last answer of the other team.
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
 * Makes the team of side @side of @plan, and names its workers' threads to the launcher. If the team has to end the
 * process, it reports that in @head. All arguments must outlive it. Returns 0 or a negative errno.
 */
int team_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, uint32_t side, BodyStack stack,
                BlockHead *head, Team **ret_team);

/* Makes a proxy for the team of the process that follows this one through @page: it asks that process for each step. */
int team_new_other(const RunnerPlan *plan, LockstepPage *page, BlockHead *head, Team **ret_team);
Team *team_free(Team *team);
DEFINE_CLEANUP(Team *, team_free)

/* As in runner/time/body.h, for all members; the state is that of the first member that does not wait. */
BodyState team_start(Team *team);
BodyState team_run_batch(Team *team, const LockstepBatch *batch);
BodyState team_finish(Team *team);
uint64_t team_iterations_max(const Team *team);

/* Reports how the team ended; with several members, for the one that left. */
void team_report_end(const Team *team);

/*
 * Collects in @block what all members reported through bench_ops() and similar functions; if there is no room, that
 * becomes the end.
 */
void team_tell(const Team *team, SampleBlock *block);

size_t team_size(const Team *team);

/* The readings beside the batches of member @index. */
const Beside *team_beside(const Team *team, size_t index);

/* The batch that member @index ran last. */
const BodyBatch *team_batch(const Team *team, size_t index);

/* Which probes of the last batch of member @index were slow. */
BesideProbes team_probes(const Team *team, size_t index);

/* True if the probes beside the last @n batches of any member took longer on average than alone. */
bool team_stretch_is_slow(const Team *team, uint32_t n);

/* Adds the readings beside the last batch of member @index to @sample; the probes' verdict only if @probed. */
void team_fill(const Team *team, size_t index, bool probed, Sample *sample);

/*
 * Combines the reports of all bodies of a process. Operations, items and bytes stay per thread, since each thread runs
 * its iterations at its own pace; counters of one name are added over the threads. Pure.
 */

/* Adds the report of @thread to @block. False if there is no room for a counter of another name. */
bool team_tally_add(SampleBlock *block, uint32_t thread, const BodyTold *told);
