/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A measurement under way: the plan, the next of its processes, and the samples of each benchmark so far. Pure: it is told how each
 * process ended.
 *
 * A benchmark whose first process says that all would take longer than its budget, even with as few samples as may be, gets fewer
 * processes, but not under three. For a precision the number of processes is settled when the first of them are done.
 *
 * A benchmark is complete when its last process has ended, or at once when one of them failed; the others go on. A
 * complete benchmark is reported once and its samples are freed.
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

typedef struct Measurement Measurement;
typedef struct EmptyLoop EmptyLoop;
typedef struct PairedRatios PairedRatios;

/* The progress of a measurement. */
typedef struct MeasurementCount {
        size_t benchmarks;
        size_t processes;      /* to run, those of failed benchmarks taken off */
        size_t processes_done; /* of these */
        size_t failed;         /* benchmarks without a number, skipped ones not among them */
        size_t measured;       /* benchmarks reported with a number */
        size_t unfit;          /* of these, disturbed too much, or traced */
        size_t untold;         /* of these, on a core without probes */
        uint32_t instruments;  /* that took part in any of these: INSTRUMENT_* */
        uint64_t left_ns;      /* estimated from the plan, then from what was seen */
} MeasurementCount;

/* Takes @plan. Returns 0 or a negative errno. */
int measurement_new(Plan *plan, Measurement **ret_measurement);
Measurement *measurement_free(Measurement *measurement);

DEFINE_CLEANUP(Measurement *, measurement_free)

const Plan *measurement_plan(const Measurement *measurement);

/* The process to run next; NULL when none is left. The same until it is noted. */
const PlanProcess *measurement_next(Measurement *measurement);

/* Notes that the next process did what it was to do, by its blocks, one a side. Returns 0 or a negative errno. */
int measurement_note_complete(Measurement *measurement, const SampleBlock *blocks, const ClockFacts *clock,
                const RunnerOutput *output);

/*
 * Notes that the next process, which counts, did so (@block), or how it ended instead (@end, where @block is NULL).
 * Returns 0 or a negative errno.
 */
int measurement_note_memory(Measurement *measurement, const MemoryBlock *block, const ProcessEnd *end);

/* Notes that the next process failed, and with it its benchmark. Returns 0 or a negative errno. */
int measurement_note_failed(Measurement *measurement, const ProcessEnd *end, const RunnerOutput *output);

/* Notes how long the next process took, before it is noted itself. */
void measurement_note_elapsed(Measurement *measurement, uint64_t elapsed_ns);

/* Fills in @progress, with parts from @arena. */
void measurement_fill_progress(Measurement *measurement, Arena *arena, Benchd__Progress *progress);

MeasurementCount measurement_count(const Measurement *measurement);

/* The memory of the samples that are held now. */
uint64_t measurement_sample_bytes(const Measurement *measurement);

/*
 * The result of the next benchmark to report, built in @arena: one that is complete, or, if @partial, one that has at
 * least one process; of a comparison first the new side's, then the old one's. Returns 0 with NULL if there is none, or a
 * negative errno.
 */
int measurement_take_result(Measurement *measurement, bool partial, Arena *arena, Benchd__BenchmarkResult **ret_result);

/* The most processes that a benchmark has. */
uint32_t measurement_most_processes(const Measurement *measurement);

/* The time of an operation of each benchmark of the plan, once it was reported; NaN if it was not measured in whole. Borrowed. */
const double *measurement_points_ns(const Measurement *measurement);

/* The empty loop, of all processes of a run so far; nothing of a comparison's. Borrowed. */
const EmptyLoop *measurement_empty(const Measurement *measurement);

/* The log ratios of benchmark @index of a comparison, one a process that told one; in order. Borrowed. */
const PairedRatios *measurement_ratios(const Measurement *measurement, size_t index);

/* ... and those of the averages, where a side has a rare slow part (samples/amortised.h); else NULL. Borrowed. */
const PairedRatios *measurement_mean_ratios(const Measurement *measurement, size_t index);

/* ... true if none can be, since the benchmark failed, was skipped or could not be run at all: the result says why. */
bool measurement_has_failed(const Measurement *measurement, size_t index);

/* ... true if they are of all turns since another hardware thread left too few processes with enough quiet ones. */
bool measurement_ratios_are_shared(const Measurement *measurement, size_t index);

/* ... and the steps of the clock in a batch of both sides, relative: the ratios are no finer. */
double measurement_log_step(const Measurement *measurement, size_t index);

/* ... and the address of either side's loop, the new one's first; modules lie at whole pages. 0: it did not begin. Borrowed. */
const uint64_t *measurement_loop_addresses(const Measurement *measurement, size_t index);

/* Writes the identity of benchmark @index: area, name and arguments. Returns 0 or a negative errno. */
int measurement_identify(const Measurement *measurement, size_t index, Arena *arena, Benchd__ComparisonResult *row);

/* True if any benchmark got fewer samples a process, or fewer processes, than planned, since its budget ended. */
bool measurement_was_shortened(const Measurement *measurement);
