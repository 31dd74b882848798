/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The process of the side that does not lead (runner/time/lockstep.h): it does what it is asked for with its own team, and tells of itself in its
 * own block. The other one says which batches are samples.
 */

#include "ops/block.h"

struct bench_descriptor;

typedef struct Conduct Conduct;

/* Follows as side @index of @plan, whose blocks are at @blocks. Returns where the team cannot be made, with an end; else never. */
void follow_run(const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *blocks);
