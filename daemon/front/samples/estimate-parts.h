/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What an estimate holds between its two sources: estimate.c gathers it, estimate-report.c tells it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/samples/conduct.h"
#include "front/samples/core-counts.h"
#include "front/samples/disturbance.h"
#include "front/samples/quantity.h"
#include "front/samples/spread.h"
#include "front/samples/throughput.h"
#include "ops/sample-block.h"

typedef struct EstimateProcess {
        double median_ns;     /* of its quiet samples; of all where it gave none of those */
        double median_cycles; /* ... NaN: unavailable */
        bool quiet;           /* it gave one */
        double core_hz;       /* NaN: unavailable */
        DisturbanceShares shares;
        double first_call_ns; /* NaN: none was taken */
        double warmup_ms;
        double error_ns;
        double step_ns;    /* of the clock, an operation */
        double iterations; /* a batch */
        uint32_t stack_offset_bytes;
        uint32_t environment_bytes;
        uint32_t loop_offset;
        uint32_t image_offset_bytes;
        uint32_t n_trace;
        TracePhase trace[RUNNER_TRACE_MAX];
} EstimateProcess;

typedef struct EstimateCounter {
        char name[RUNNER_NAME_MAX];
        double sum;
        uint32_t n;
} EstimateCounter;

typedef struct Estimate {
        Quantity time_ns;
        Quantity cycles;
        Spread spread;
        Disturbance disturbance;
        Conduct conduct;
        CoreCounts counts;
        Throughput throughput;
        EstimateProcess *processes;
        size_t n_processes;
        EstimateCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];
        size_t n_counters;
        double ops_per_iteration; /* of the first thread */
        double operations;
        uint64_t iterations;
        double elapsed_ns;
        uint64_t user_ns;
        uint64_t system_ns;
        double rise; /* of an iteration's time with the length of a batch, in the last process that had one */
        size_t n_rises;
        bool long_batches;
        bool crowded;
        bool takes_off_loop;
        uint32_t inputs_max; /* where they bounded a batch */
} Estimate;
