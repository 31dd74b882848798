/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One benchmark, or two that take turns, from set-up to the last sample, into a block each: the body is what runs, the pace
 * says how long, the window when.
 */

#include "ops/sample-block.h"

struct bench_descriptor;

typedef struct Conduct Conduct;

/* One descriptor and one block for each of the plan's sides; the first block's head tells of the process. @conduct: begun before the modules were loaded. */
void measure_run(const RunnerPlan *plan, const struct bench_descriptor *const *descriptors, Conduct *conduct,
                SampleBlock *blocks);
