/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Method steps: the batches of each count of a method that multiplies it and shows them all (Sestoft's Mark5 and Mark6). The result
 * of the benchmark is made from those of the last count. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define METHOD_STEPS_MAX 64u /* a count doubles: there cannot be more */

typedef struct MethodStep {
        uint64_t iterations;
        uint32_t samples;
        double mean_ns;   /* of an operation */
        double stddev_ns; /* of the sample, n - 1; NaN: there is one */
} MethodStep;

typedef struct MethodSteps {
        MethodStep rows[METHOD_STEPS_MAX];
        size_t n;
} MethodSteps;

/* Makes the steps of the samples in @block. Returns 0 or a negative errno. */
int method_steps_of(const SampleBlock *block, const ClockFacts *clock, MethodSteps *ret_steps);

/* Copies @block, to be freed, with the samples of the last count alone. Returns 0 or a negative errno. */
int method_steps_copy_last(const SampleBlock *block, SampleBlock **ret_last);

/* Adds @steps to @result, with parts from @arena. Returns 0 or a negative errno. */
int method_steps_report(const MethodSteps *steps, Arena *arena, Benchd__BenchmarkResult *result);
