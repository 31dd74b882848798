/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One benchmark, or two that take turns, from set-up to the last sample, into a block each: the body is what runs, the pace
 * says how long, the window when. This process has the side that begins, and the process of a second one follows (runner/follow.h).
 */

#include "ops/sample-block.h"

struct bench_descriptor;

typedef struct Conduct Conduct;

/*
 * Measures @descriptor, of the side that begins, into @blocks, one for each side; the head of its own tells of this process. @conduct:
 * begun before the module's first constructor.
 */
void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *blocks);
