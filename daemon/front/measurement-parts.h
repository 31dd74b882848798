/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a measurement holds between its two sources: measurement.c is told how processes ended, measurement-report.c tells
 * what came of benchmarks that are complete.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/company.h"
#include "front/ending.h"
#include "front/enough.h"
#include "front/estimate.h"
#include "front/measurement.h"
#include "front/plan.h"
#include "front/steps.h"
#include "ops/sample-block.h"

typedef struct MeasuredBenchmark {
        Estimate *estimates[RUNNER_SIDES_MAX]; /* the second: of a comparison, the old side's */
        double *log_ratios;                    /* of a comparison, one a process */
        size_t n_log_ratios;
        Ending *failure;
        MemoryBlock *memory; /* NULL: not counted, or not yet */
        Ending *uncounted;   /* why it could not be */
        char *output;        /* of the first process that printed anything */
        size_t n_output;
        uint32_t processes; /* to be timed, as far as is known: the plan's first, then more for a precision, or fewer */
        uint32_t n_done;    /* of these */
        double sampling_ns; /* of these together */
        Enough enough;      /* where a precision was asked for, and it is settled */
        Company company;    /* of its threads */
        StepList *steps;    /* NULL: its method shows none */
        uint32_t oddities;  /* by its method */
        bool counts;        /* wants a process that counts what is allocated */
        bool counted;       /* ... and it came to its end, whatever that was */
        bool output_cut;
        bool settled;             /* how many processes there are to be */
        bool shortened;           /* fewer samples */
        bool shortened_processes; /* fewer processes than at first planned */
        bool failed;
        bool reported;
        uint32_t next_side; /* to be reported */
} MeasuredBenchmark;

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

/* Whether nothing more will come of it. */
bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark);

/* Frees what its result was made from. */
void measured_benchmark_clear(MeasuredBenchmark *benchmark);
