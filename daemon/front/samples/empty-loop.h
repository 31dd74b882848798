/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The empty loop of several processes, as each timed it beside its samples, per iteration. Its own time is no error, for it is the same in
 * every row; its spread is: a body as short cannot be told from it. Pure.
 */

#include <stdbool.h>

#include "front/samples/quantity.h"

#define EMPTY_LOOP_STEPS_MIN 100 /* of the clock in a batch: fewer tell the clock's step rather than the loop */

typedef struct EmptyLoop {
        Quantity time_ns;
        Quantity cycles;
        double step_ns; /* of the clock, an iteration: the largest of the processes */
} EmptyLoop;

void empty_loop_deinit(EmptyLoop *loop);

/* True if @block timed the loop in batches that last some steps of the clock; beside long bodies they have few iterations. */
bool empty_loop_is_resolved(const SampleBlock *block, const ClockFacts *clock);

/* Adds the batches of the process that wrote @block, if it timed any. Returns 0 or a negative errno. */
int empty_loop_add(EmptyLoop *loop, const SampleBlock *block, const ClockFacts *clock);

/* The distance from the 5th to the 95th percentile, or NaN if no process timed it. Returns 0 or a negative errno. */
int empty_loop_spread_ns(const EmptyLoop *loop, double *ret_spread_ns);

/* Builds the message; NULL if no process timed it. Returns 0 or a negative errno. */
int empty_loop_report(const EmptyLoop *loop, Arena *arena, Benchd__EmptyLoop **ret_message);
