/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One benchmark under measurement: the samples of its processes, or the reason why it failed. measurement decides the number of its
 * processes and their order. Pure.
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
#include "stats/sequence.h"

typedef struct RunnerOutput RunnerOutput;

typedef struct MeasuredBenchmark {
        Estimate *estimates[RUNNER_SIDES_MAX]; /* [1]: of a comparison, the old side */
        KeptSamples kept[RUNNER_SIDES_MAX];    /* as `estimates`, if the request keeps samples */
        uint32_t round;                        /* of the process that is added */
        uint32_t turns_most;       /* in each round, of one whose processes would exceed the budget; 0: as planned */
        PairedRatios ratios;       /* of a comparison, one per process */
        PairedRatios quiet_ratios; /* of quiet turns, of each process that has enough */
        PairedRatios mean_ratios;  /* of the means of both sides, one per process */
        bool has_rare_part;        /* on a reported side */
        bool last_ratio_is_quiet;  /* the last process has a ratio of quiet turns */
        double log_step;           /* step of the clock relative to these; the largest */
        uint64_t n_turns_not_quiet;
        uint64_t n_turns_company;                  /* of these */
        uint64_t loop_addresses[RUNNER_SIDES_MAX]; /* of a comparison, in its last process; 0: its loop did not start */
        ProcessEnd *failure;
        MemoryBlock *memory;   /* NULL: not counted (yet) */
        ProcessEnd *uncounted; /* why there is no count */
        char *output;          /* of the failed process, else of the first one that printed */
        size_t n_output;
        uint64_t n_printed;         /* bytes, by that process */
        uint64_t memory_peak_bytes; /* the most of the control group of a process; 0: not known */
        uint32_t wanted; /* processes that should give a median or a ratio: the plan's first; with a precision or looks, more or fewer */
        uint32_t processes;                  /* to be timed, as known so far, including replacements */
        uint32_t n_done;                     /* of these */
        uint32_t n_due;                      /* processes due, of the plan's first */
        uint32_t due[RUNNER_IMAGE_OFFSETS];  /* number still due at each place of the module */
        uint32_t left[RUNNER_IMAGE_OFFSETS]; /* number of later processes of the plan, at each place */
        uint64_t n_samples;                  /* of all of these, of one side */
        double sampling_ns;                  /* of these together */
        uint64_t n_kept;                     /* samples held by the estimates, of both sides and of the empty loop */
        ProcessesNeeded needed;              /* with a precision, once settled */
        uint32_t n_looks;         /* of a comparison that ends by itself, as far as the budget holds them; else 0 */
        uint32_t look;            /* the next one, or the one at which it ended */
        SequenceOutcome outcome;  /* of the last one so far */
        BehaviourBatches batches; /* of its threads */
        MethodSteps *steps;       /* NULL: its method shows none */
        MethodRuns *runs;         /* NULL: its method shows none */
        uint32_t method_findings; /* by its method */
        bool keeps;               /* its samples are kept */
        bool counts;              /* needs a process that counts allocations */
        bool counted;             /* that process has ended, successfully or not */
        bool output_cut;
        bool settled;             /* the number of processes is decided */
        bool shortened;           /* fewer samples */
        bool shortened_processes; /* fewer processes than planned */
        bool failed;
        bool reported;
        uint32_t next_side; /* the next side to report */
} MeasuredBenchmark;

/* Adds a process of @planned from its @blocks, one for each of @n_sides. Returns 0 or a negative errno. */
int measured_benchmark_add(MeasuredBenchmark *benchmark, const PlanBenchmark *planned, uint32_t n_sides,
                const SampleBlock *blocks, const ClockFacts *clock);

/* Keeps @output if this is the first process that printed. Returns 0 or a negative errno. */
int measured_benchmark_keep_output(MeasuredBenchmark *benchmark, const RunnerOutput *output);

/* Notes that a process failed: the benchmark gets no number. Keeps its @output in place of any other. Returns 0 or a negative errno. */
int measured_benchmark_fail(MeasuredBenchmark *benchmark, const ProcessEnd *end, const RunnerOutput *output);

/*
 * Notes the allocations counted in @block, or the reason @end why they could not be counted. Returns 0 or a negative
 * errno.
 */
int measured_benchmark_count(MeasuredBenchmark *benchmark, const MemoryBlock *block, const ProcessEnd *end);

/* The log ratios for the comparison: of quiet turns if enough processes have one, else of all turns. Borrowed. */
const PairedRatios *measured_benchmark_ratios(const MeasuredBenchmark *benchmark);

/* The look at which its ratios are compared, by @margin. */
SequencePoint measured_benchmark_sequence(const MeasuredBenchmark *benchmark, double margin);

/* Its outcome there in a table of @n_rows. */
SequenceOutcome measured_benchmark_look(const MeasuredBenchmark *benchmark, double margin, size_t n_rows);

/* True if another hardware thread left too few processes with quiet turns. */
bool measured_benchmark_is_shared(const MeasuredBenchmark *benchmark);

/*
 * The values that a precision applies to: the processes' medians, or the ratios of two sides. In new arrays, the caller's. Returns 0 or a
 * negative errno.
 */
int measured_benchmark_values(const MeasuredBenchmark *benchmark, uint32_t n_sides, EstimateMedians *ret_values);

/* True if the last process has a median of quiet samples, or with two sides a ratio of quiet turns. */
bool measured_benchmark_last_is_quiet(const MeasuredBenchmark *benchmark, uint32_t n_sides);

/* True if processes lack quiet samples because of another hardware thread, rather than of other work. */
bool measured_benchmark_had_company(const MeasuredBenchmark *benchmark);

/* True if no more processes are to come. */
bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark);

/* Frees the data of its result, except for the ratios, which the comparison needs. */
void measured_benchmark_clear(MeasuredBenchmark *benchmark);

/* Frees the ratios too. */
void measured_benchmark_deinit(MeasuredBenchmark *benchmark);
