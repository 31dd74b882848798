/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Measures one benchmark, or two that take turns, from set-up to the last sample, into a block each: the body is what runs, the pace
 * says how long, the window when. This process has the side that begins, and the process of a second one follows (runner/time/follow.h).
 */

#include "ops/block.h"

struct bench_descriptor;

typedef struct Conduct Conduct;
typedef struct RecordTrace RecordTrace;
typedef struct Window Window;

/*
 * Measures @descriptor, of the side that begins, into @blocks, one for each side; the head of its own block reports on this process.
 * @conduct was begun before the module's first constructor.
 */
void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *blocks);

/*
 * The cost of the loop itself: batches of an empty one, made by the same header, in the same process, right after the samples
 * and under the same rules of windows, rulers and detectors. They are recorded separately from the samples. Nothing is
 * subtracted here: on an out-of-order core the loop hides behind most bodies (benchd-methods(7)).
 *
 * The batches have the samples' count of iterations, but no more than about fill the target length, or 1 ms: an iteration of the
 * empty loop takes a cycle or two, and a cycle about a tick.
 *
 * They are usually fewer than the samples: what they measure is steady, and each makes the run longer.
 *
 * There are none if a batch is one iteration, since a batch's own cost, which is subtracted already, includes one empty
 * iteration; unless the caches are emptied before each batch, which that cost does not cover. There are none with several
 * threads.
 */

struct bench_descriptor;

/* The empty loop as a benchmark, for a process that measures nothing else. */
const struct bench_descriptor *measure_empty_descriptor(void);
