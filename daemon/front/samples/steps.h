/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Steps: the batches of each count of a method that multiplies it and shows them all (Sestoft's Mark5 and Mark6). What a
 * benchmark's result is made of are those of the last count. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

#define STEPS_MAX 64u /* a count doubles: there cannot be more */

typedef struct StepRow {
        uint64_t iterations;
        uint32_t samples;
        double mean_ns;   /* of an operation */
        double stddev_ns; /* of the sample, n - 1; NaN: there is one */
} StepRow;

typedef struct StepList {
        StepRow rows[STEPS_MAX];
        size_t n;
} StepList;

/* Makes the steps of the samples in @block. Returns 0 or a negative errno. */
int steps_of(const SampleBlock *block, const ClockFacts *clock, StepList *ret_steps);

/* Copies @block, to be freed, with the samples of the last count alone. Returns 0 or a negative errno. */
int steps_copy_last(const SampleBlock *block, SampleBlock **ret_last);

/* Adds @steps to @result, with parts from @arena. Returns 0 or a negative errno. */
int steps_report(const StepList *steps, Arena *arena, Benchd__BenchmarkResult *result);
