/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a measurement holds between its two sources: measurement.c is told how processes ended, measurement-report.c tells
 * what came of benchmarks that are complete.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/measured-benchmark.h"
#include "front/measurement.h"
#include "front/plan.h"

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
