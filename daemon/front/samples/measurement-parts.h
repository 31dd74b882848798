/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a measurement holds between its two sources: measurement.c is told how processes ended, measurement-report.c tells
 * what came of benchmarks that are complete.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/plan/plan.h"
#include "front/samples/measured-benchmark.h"
#include "front/samples/measurement.h"

typedef struct Measurement {
        RunPlan *plan;
        MeasuredBenchmark *benchmarks; /* as the plan's */
        double *points_ns;             /* of each that was reported in whole; NaN elsewhere */
        size_t next;                   /* of the plan's processes */
        MeasurementCount count;
        size_t first_unreported;
        uint64_t elapsed_ns; /* of all processes that ended */
        size_t n_elapsed;
        bool shortened;
} Measurement;
