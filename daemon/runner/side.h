/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A side of what is measured: the team that runs its benchmark, and the block in which it is told. A run has one side, a
 * comparison two that take turns.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/sample-block.h"
#include "runner/control.h"

struct bench_descriptor;
struct bench_options;

typedef struct Team Team;

typedef struct Side {
        const RunnerPlan *plan;
        const struct bench_options *options;
        Team *team;
        SampleBlock *block;
        Control control;
} Side;

/*
 * Makes side @index of @plan, with a block of its own; how the process ends is reported in @head. All must outlive it. Returns
 * 0 or a negative errno.
 */
int side_init(Side *side, const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor,
                BlockHead *head);
void side_clear(Side *side);

/* Notes the last batch: one before the samples, the first call among them, or a sample; a fresh one is the first that counts. */
void side_note_unsampled(Side *side, RunnerPhase phase);
void side_note_sample(Side *side, bool fresh);

/* Tells what there is to tell at the end: of the body, and of what the process had. */
void side_tell(Side *side);
