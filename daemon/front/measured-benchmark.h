/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What came of one benchmark so far: what its processes gave, one after the other, or why there will be nothing. Pure. How many
 * processes it has, and which is next, is the measurement's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/company.h"
#include "front/ending.h"
#include "front/enough.h"
#include "front/estimate.h"
#include "front/plan.h"
#include "front/steps.h"
#include "ops/sample-block.h"

typedef struct ModuleOutput ModuleOutput;

typedef struct MeasuredBenchmark {
        Estimate *estimates[RUNNER_SIDES_MAX]; /* the second: of a comparison, the old side's */
        double *log_ratios;                    /* of a comparison, one a process */
        size_t n_log_ratios;
        double log_step; /* of the clock in these, the largest */
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

/*
 * Adds what a process of @planned gave, by its @blocks, one of each of @n_sides. Returns 0 or a negative errno.
 */
int measured_benchmark_add(MeasuredBenchmark *benchmark, const PlanBenchmark *planned, uint32_t n_sides,
                const SampleBlock *blocks, const ClockFacts *clock);

/* Keeps what the first process that printed anything printed. Returns 0 or a negative errno. */
int measured_benchmark_keep_output(MeasuredBenchmark *benchmark, const ModuleOutput *output);

/* A process failed: there will be no number. Returns 0 or a negative errno. */
int measured_benchmark_fail(MeasuredBenchmark *benchmark, const Ending *ending);

/* Its allocations were counted in @block, or could not be, by @ending. Returns 0 or a negative errno. */
int measured_benchmark_count(MeasuredBenchmark *benchmark, const MemoryBlock *block, const Ending *ending);

/* What a precision is of: the processes' medians, or of two sides their ratios. In a new array, the caller's. Returns 0 or a negative errno. */
int measured_benchmark_values(const MeasuredBenchmark *benchmark, uint32_t n_sides, double **ret_values, size_t *ret_n);

/* Whether nothing more will come of it. */
bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark);

/* Frees what its result was made from. */
void measured_benchmark_clear(MeasuredBenchmark *benchmark);

/* From the first sample's start to the last one's end. */
double block_sampling_ns(const SampleBlock *block, const ClockFacts *clock);
