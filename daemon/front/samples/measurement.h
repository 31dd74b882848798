/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A measurement under way: the plan, its next process, and the samples of each benchmark so far. Pure: the caller runs the processes and
 * notes their ends.
 *
 * If the first process of a benchmark shows that all would exceed the budget, even with the fewest samples, it gets fewer processes, but at
 * least three. With a precision, the number of processes is decided when the first of them are done. A comparison that ends by itself has
 * those of its first look, and those of the next one after each look that does not end it: each row by itself, so that a row that is decided
 * takes no more of the others' time.
 *
 * A benchmark is complete when its last process has ended, or as soon as one has failed; other benchmarks go on. A complete benchmark is
 * reported once, and its samples are freed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "front/plan/plan.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"
#include "stats/sequence.h"

typedef struct Measurement Measurement;
typedef struct EmptyLoop EmptyLoop;
typedef struct PairedRatios PairedRatios;

/* The progress of a measurement. */
typedef struct MeasurementCount {
        size_t benchmarks;
        size_t processes;      /* to run, as known so far, without those of failed benchmarks */
        size_t processes_most; /* that these may become, since comparisons end by themselves */
        size_t processes_done; /* of these */
        size_t failed;         /* benchmarks without a number, not counting skipped ones */
        size_t measured;       /* benchmarks reported with a number */
        size_t unfit;          /* of these, too disturbed, or traced */
        size_t untold;         /* of these, on a core without probes */
        uint32_t instruments;  /* INSTRUMENT_* of all of these */
        uint64_t left_ns;      /* estimated from the plan, then from finished processes */
} MeasurementCount;

/* Takes @plan. Returns 0 or a negative errno. */
int measurement_new(Plan *plan, Measurement **ret_measurement);
Measurement *measurement_free(Measurement *measurement);

DEFINE_CLEANUP(Measurement *, measurement_free)

const Plan *measurement_plan(const Measurement *measurement);

/* The process to run next; NULL when none is left. It stays the same until it is noted. */
const PlanProcess *measurement_next(Measurement *measurement);

/* Notes that the next process succeeded, with its blocks, one per side. Returns 0 or a negative errno. */
int measurement_note_complete(Measurement *measurement, const SampleBlock *blocks, const ClockFacts *clock,
                const RunnerOutput *output);

/*
 * Notes the count of the next, counting process (@block), or how it ended instead (@end, if @block is NULL). Returns 0
 * or a negative errno.
 */
int measurement_note_memory(Measurement *measurement, const MemoryBlock *block, const ProcessEnd *end);

/* Notes that the next process, and so its benchmark, failed. Returns 0 or a negative errno. */
int measurement_note_failed(Measurement *measurement, const ProcessEnd *end, const RunnerOutput *output);

/*
 * Notes how long the next process took, and the most memory that its control group had (0: not known); to be called before its result is
 * noted.
 */
void measurement_note_end(Measurement *measurement, uint64_t elapsed_ns, uint64_t memory_peak_bytes);

/* Fills in @progress, with parts from @arena. */
void measurement_fill_progress(Measurement *measurement, Arena *arena, Benchd__Progress *progress);

MeasurementCount measurement_count(const Measurement *measurement);

/* The memory of the samples that are held now. */
uint64_t measurement_sample_bytes(const Measurement *measurement);

/*
 * Builds in @arena the result of the next benchmark to report: a complete one, or with @partial one with at least one process; of a
 * comparison, first the new side's result, then the old side's. Returns 0, with NULL if there is none, or a negative errno.
 */
int measurement_take_result(Measurement *measurement, bool partial, Arena *arena, Benchd__BenchmarkResult **ret_result);

/* The most processes of any benchmark. */
uint32_t measurement_most_processes(const Measurement *measurement);

/* The time of an operation of each benchmark of the plan, once reported; NaN if it was not measured completely. Borrowed. */
const double *measurement_points_ns(const Measurement *measurement);

/* The empty loop of all processes of a run so far; empty for a comparison. Borrowed. */
const EmptyLoop *measurement_empty(const Measurement *measurement);

/* The log ratios of benchmark @index of a comparison, one per process that has one; in order. Borrowed. */
const PairedRatios *measurement_ratios(const Measurement *measurement, size_t index);

/* The log ratios of its means, if a side has a rare slow part (samples/amortised.h); else NULL. Borrowed. */
const PairedRatios *measurement_mean_ratios(const Measurement *measurement, size_t index);

/* True if it cannot have ratios, since it failed, was skipped or could not run: the result says why. */
bool measurement_has_failed(const Measurement *measurement, size_t index);

/* True if its ratios are of all turns, since another hardware thread left too few processes with enough quiet turns. */
bool measurement_ratios_are_shared(const Measurement *measurement, size_t index);

/* The look at which its ratios are compared. */
SequencePoint measurement_sequence(const Measurement *measurement, size_t index);

/* Its outcome; SEQUENCE_GOES_ON if there was none, as where the number of processes is fixed. */
SequenceOutcome measurement_sequence_outcome(const Measurement *measurement, size_t index);

/*
 * The addresses of its loops, the new side's first; modules lie at whole pages. 0: the loop did not start, or lies elsewhere in each link of
 * its module. Borrowed.
 */
const uint64_t *measurement_loop_addresses(const Measurement *measurement, size_t index);

/* Writes the identity of benchmark @index to @row: area, name and arguments. Returns 0 or a negative errno. */
int measurement_identify(const Measurement *measurement, size_t index, Arena *arena, Benchd__ComparisonResult *row);

/* True if any benchmark got fewer samples per process, or fewer processes, than planned, because of its budget. */
bool measurement_was_shortened(const Measurement *measurement);
