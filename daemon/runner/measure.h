/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One benchmark, from its set-up to its last sample, into the block: the body is what runs, the pace says how long,
 * the window when.
 */

#include "ops/sample-block.h"

struct bench_descriptor;

typedef struct Conduct Conduct;

/* @conduct: begun before the module was loaded. */
void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *block);
