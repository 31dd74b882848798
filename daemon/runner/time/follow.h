/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The process of the side that does not lead (runner/time/lockstep.h): it does the requested steps with its own team, and reports in its own
 * block. The leader decides which batches are samples.
 */

#include "ops/block.h"

struct bench_descriptor;

typedef struct Conduct Conduct;

/*
 * Follows as side @index of @plan, whose blocks are at @blocks. Returns only if the team cannot be made, with an end.
 */
void follow_run(const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *blocks);
