/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The empty loop of several processes, which each timed beside its samples, per iteration. Its time is not an error, since it is the same
 * in every row; its spread is: a body as short as that cannot be distinguished from it. Pure.
 */

#include <stdbool.h>

#include "front/samples/quantity.h"

#define EMPTY_LOOP_STEPS_MIN 100 /* of the clock in a batch: fewer measure the clock's step rather than the loop */

typedef struct EmptyLoop {
        Quantity time_ns;
        Quantity cycles;
        double step_ns; /* step of the clock per iteration; the largest of all processes */
} EmptyLoop;

void empty_loop_deinit(EmptyLoop *loop);

/* True if @block timed the loop in batches of at least EMPTY_LOOP_STEPS_MIN clock steps; beside long bodies they have few iterations. */
bool empty_loop_is_resolved(const SampleBlock *block, const ClockFacts *clock);

/* Adds the batches of the process that wrote @block, if it timed any. Returns 0 or a negative errno. */
int empty_loop_add(EmptyLoop *loop, const SampleBlock *block, const ClockFacts *clock);

/* The distance from the 5th to the 95th percentile; NaN if no process timed the loop. Returns 0 or a negative errno. */
int empty_loop_spread_ns(const EmptyLoop *loop, double *ret_spread_ns);

/* Builds the message; NULL if no process timed the loop. Returns 0 or a negative errno. */
int empty_loop_report(const EmptyLoop *loop, Arena *arena, Benchd__EmptyLoop **ret_message);
