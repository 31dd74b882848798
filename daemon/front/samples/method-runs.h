/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Method runs: the batches of a method that shows each of them (the Stopwatch article's twenty, Sestoft's Mark2 and Mark3), and the
 * distance of the longest from the shortest. With several threads, the first thread's batches. Pure.
 */

#include <stddef.h>

#include "front/base/arena.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct MethodRun {
        double ticks; /* of the batch, without its pauses and its own cost */
        double elapsed_ns;
        double time_ns; /* of an operation */
} MethodRun;

typedef struct MethodRuns {
        MethodRun rows[RUNNER_SAMPLES_MAX];
        size_t n;
} MethodRuns;

/* Makes the runs of the samples in @block. */
void method_runs_of(const SampleBlock *block, const ClockFacts *clock, MethodRuns *ret_runs);

/* (longest - shortest) / shortest; NaN with fewer than two runs, or if the shortest is only the harness. */
double method_runs_spread(const MethodRuns *runs);

/* Adds @runs to @result, with parts from @arena. Returns 0 or a negative errno. */
int method_runs_report(const MethodRuns *runs, Arena *arena, Benchd__BenchmarkResult *result);
