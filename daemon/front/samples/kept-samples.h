/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Kept samples: every sample of one side of a benchmark, for requests that want them in the result. Each process has columns of all its
 * samples, in the order of its block. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define KEPT_COUNTS_BYTES_MAX                                                                                          \
 (192u << 10) /* of all counts of a side: they have room in a reply beside the most samples */

/* A value for each sample of a process. */
typedef struct KeptCounts {
        char name[RUNNER_NAME_MAX];
        double *values;
} KeptCounts;

/* The columns of a process, as in the message. */
typedef struct KeptProcess {
        uint64_t *at_ns;
        double *time_ns;
        uint32_t *marks;
        uint32_t *thread; /* NULL: one thread ran */
        size_t n;
        KeptCounts *counts; /* by the body itself */
        size_t n_counts;
} KeptProcess;

typedef struct KeptSamples {
        KeptProcess *processes;
        size_t n;
        size_t n_counts_bytes; /* in the message */
} KeptSamples;

void kept_samples_deinit(KeptSamples *kept);

/* The start of the first sample of a process, over its @n_sides. */
uint64_t kept_samples_origin(const SampleBlock *blocks, size_t n_sides);

/*
 * Adds the process that wrote @block, checked and complete, whose first sample began at @origin_ticks. With @takes_off_loop the empty loop
 * is subtracted from every time, as in the estimates. Returns 0 or a negative errno.
 */
int kept_samples_add(KeptSamples *kept, const SampleBlock *block, uint64_t origin_ticks, bool takes_off_loop,
                const ClockFacts *clock);

/* Fills in the samples of the processes of @result, with copies in @arena. Returns 0 or a negative errno. */
int kept_samples_report(const KeptSamples *kept, Arena *arena, Benchd__BenchmarkResult *result);
