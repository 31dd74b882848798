/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Method steps: the batches of a method that multiplies its iteration count and shows every count (Sestoft's Mark5 and Mark6). The
 * benchmark's result comes from the batches of the last count. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define METHOD_STEPS_MAX 64u /* a count doubles at least: there cannot be more */

typedef struct MethodStep {
        uint64_t iterations;
        uint32_t samples;
        double mean_ns;   /* of an operation */
        double stddev_ns; /* of the sample, n - 1; NaN: only one */
} MethodStep;

typedef struct MethodSteps {
        MethodStep rows[METHOD_STEPS_MAX];
        size_t n;
} MethodSteps;

/* Makes the steps of the samples in @block. Returns 0 or a negative errno. */
int method_steps_of(const SampleBlock *block, const ClockFacts *clock, MethodSteps *ret_steps);

/* Copies @block with the samples of the last count only; the caller frees it. Returns 0 or a negative errno. */
int method_steps_copy_last(const SampleBlock *block, SampleBlock **ret_last);

/* Adds @steps to @result, with parts from @arena. Returns 0 or a negative errno. */
int method_steps_report(const MethodSteps *steps, Arena *arena, Benchd__BenchmarkResult *result);
