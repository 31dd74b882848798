/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One benchmark under measurement: the samples of its processes, one after the other, or the reason why it failed. The number of its
 * processes, and which is next, is the measurement's. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/plan/plan.h"
#include "front/plan/processes-needed.h"
#include "front/samples/behaviour.h"
#include "front/samples/estimate.h"
#include "front/samples/kept-samples.h"
#include "front/samples/method-runs.h"
#include "front/samples/method-steps.h"
#include "front/samples/paired-ratio.h"
#include "front/samples/process-end.h"
#include "ops/block.h"

typedef struct RunnerOutput RunnerOutput;

typedef struct MeasuredBenchmark {
        Estimate *estimates[RUNNER_SIDES_MAX]; /* the second: of a comparison, the old side's */
        KeptSamples kept[RUNNER_SIDES_MAX];    /* as the estimates, where the request keeps them */
        PairedRatios ratios;                   /* of a comparison, one a process */
        PairedRatios quiet_ratios;             /* ... of quiet turns, where it gave one */
        PairedRatios mean_ratios;              /* ... of the means of both sides, of each process */
        bool has_rare_part;                    /* a side that was reported */
        bool last_ratio_is_quiet;              /* the last process gave one of these */
        double log_step;                       /* of the clock in these, the largest */
        uint64_t n_turns_not_quiet;
        uint64_t n_turns_company;                  /* of these */
        uint64_t loop_addresses[RUNNER_SIDES_MAX]; /* of a comparison, in its last process; 0: the loop did not begin */
        ProcessEnd *failure;
        MemoryBlock *memory;   /* NULL: not counted, or not yet */
        ProcessEnd *uncounted; /* the reason for no count */
        char *output;          /* of the process that failed, else of the first that printed anything */
        size_t n_output;
        uint64_t n_printed; /* bytes by that process */
        uint32_t wanted; /* processes that are to give a median, or a ratio: the plan's first; more for a precision, or fewer */
        uint32_t processes; /* to be timed, as far as is known: with those in place of others that gave none */
        uint32_t n_done;    /* of these */
        uint32_t n_due;     /* of the plan's first, laid out */
        uint32_t due[RUNNER_IMAGE_OFFSETS];  /* of those left, so many at each place of the module */
        uint32_t left[RUNNER_IMAGE_OFFSETS]; /* of the plan, that come later */
        uint64_t n_samples;                  /* of all of these, of one side */
        double sampling_ns;                  /* of these together */
        uint64_t n_kept;        /* samples of both sides, and of the empty loop beside them, that its estimates hold */
        ProcessesNeeded needed; /* by the precision, once it is settled */
        BehaviourBatches batches; /* of its threads */
        MethodSteps *steps;       /* NULL: its method shows none */
        MethodRuns *runs;         /* NULL: its method shows none */
        uint32_t method_findings; /* by its method */
        bool keeps;               /* its samples */
        bool counts;              /* wants a process that counts what is allocated */
        bool counted;             /* ... and it came to its end, whatever that was */
        bool output_cut;
        bool settled;             /* the number of processes */
        bool shortened;           /* fewer samples */
        bool shortened_processes; /* fewer processes than at first planned */
        bool failed;
        bool reported;
        uint32_t next_side; /* to be reported */
} MeasuredBenchmark;

/*
 * Adds a process of @planned by its @blocks, one of each of @n_sides. Returns 0 or a negative errno.
 */
int measured_benchmark_add(MeasuredBenchmark *benchmark, const PlanBenchmark *planned, uint32_t n_sides,
                const SampleBlock *blocks, const ClockFacts *clock);

/* Keeps the @output of the first process that printed anything. Returns 0 or a negative errno. */
int measured_benchmark_keep_output(MeasuredBenchmark *benchmark, const RunnerOutput *output);

/* A process failed, and printed @output, which is kept in place of any other: there will be no number. Returns 0 or a negative errno. */
int measured_benchmark_fail(MeasuredBenchmark *benchmark, const ProcessEnd *end, const RunnerOutput *output);

/* Its allocations were counted in @block, or could not be, by @end. Returns 0 or a negative errno. */
int measured_benchmark_count(MeasuredBenchmark *benchmark, const MemoryBlock *block, const ProcessEnd *end);

/* The log ratios that a comparison is of: of quiet turns, where enough processes gave one; else of all. Borrowed. */
const PairedRatios *measured_benchmark_ratios(const MeasuredBenchmark *benchmark);

/* True where it was another hardware thread that left too few processes with quiet turns. */
bool measured_benchmark_is_shared(const MeasuredBenchmark *benchmark);

/*
 * The values that a precision is of: the processes' medians, or of two sides their ratios. In new arrays, the caller's. Returns 0
 * or a negative errno.
 */
int measured_benchmark_values(const MeasuredBenchmark *benchmark, uint32_t n_sides, EstimateMedians *ret_values);

/* True if the last process gave a median of quiet samples, or of two sides a ratio of quiet turns. */
bool measured_benchmark_last_is_quiet(const MeasuredBenchmark *benchmark, uint32_t n_sides);

/* True if another hardware thread took the quiet samples of processes, rather than other work. */
bool measured_benchmark_had_company(const MeasuredBenchmark *benchmark);

/* True if no more processes are to come. */
bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark);

/* Frees all that its result was made from; the ratios stay until the comparison. */
void measured_benchmark_clear(MeasuredBenchmark *benchmark);

/* Frees the ratios too. */
void measured_benchmark_deinit(MeasuredBenchmark *benchmark);
