/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One quantity of a benchmark (time, or cycles, of an operation): every sample of every process, by what marked it, those of the
 * empty loop, and the headline made from the processes' medians (measurement.md 3 and 6). Net is a process's median less that
 * of its loop, with an interval on the plain values, which may be negative. The values of a process are sorted when it ends and pooled
 * then (stats/pool.h), so that no step is long. Pure.
 *
 * A process's median is over its quiet samples, and over the undisturbed ones among these where at least half of them, and
 * QUANTITY_UNDISTURBED_MIN, are. A process with too few quiet ones, under EFFORT_QUIET_MIN and under half, gives none. The headline
 * is of the processes that give one; where they are fewer than INTERVAL_N_MIN, and not all, it is of all samples of all processes:
 * the time while shared. The rule is fixed before the run, and looks at flags only, never at a sample's value.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "front/samples/sample.h"
#include "proto/benchd.pb-c.h"
#include "stats/pool.h"

typedef struct SampleSummary SampleSummary;

#define QUANTITY_UNDISTURBED_MIN 10u

/* Samples of the process under way. */
typedef struct QuantitySamples {
        double *values;
        size_t n;
} QuantitySamples;

/* The medians of a process that ended; NaN: it has none. */
typedef struct QuantityProcess {
        double quiet;
        double all;
        double loop; /* of its empty loop's quiet samples */
} QuantityProcess;

typedef struct Quantity {
        Pool pools[_SAMPLE_CLASS_N]; /* of the processes that ended */
        Pool loop;                   /* of the empty loop */
        QuantitySamples now[_SAMPLE_CLASS_N];
        QuantitySamples loop_now;
        QuantitySamples loop_busy; /* of the empty loop: those that were not quiet */
        QuantitySamples headline; /* those that the median of the last process is of, in rising order; all where it has none */
        SampleClass headline_class; /* the worst among these */
        QuantityProcess *processes; /* in order */
        size_t n_processes;
        size_t n_quiet; /* that have a quiet median */
} Quantity;

/* The worst class of those that a median is over, by how many there are of each: _TAKEN where too few are quiet, so all count. */
SampleClass quantity_rule(const size_t n[static _SAMPLE_CLASS_N]);

/* True if so many quiet processes suffice for a headline of those alone. */
bool quantity_suffice(size_t n_quiet, size_t n_processes);

void quantity_deinit(Quantity *quantity);

/* Begins a process of at most @n_samples, and @n_loop_samples of the empty loop. Returns 0 or a negative errno. */
int quantity_reserve(Quantity *quantity, size_t n_samples, size_t n_loop_samples);

/* Adds a sample of the process under way, for which there is room. */
void quantity_add(Quantity *quantity, double value, SampleClass class);

/* ... or of its empty loop. */
void quantity_add_loop(Quantity *quantity, double value, SampleClass class);

/* Ends the process under way. Returns 0 or a negative errno. */
int quantity_end_process(Quantity *quantity, QuantityProcess *ret_process);

/* The samples of all processes that ended. */
size_t quantity_count(const Quantity *quantity);

/* True if every process gave a sample, and there is one. */
bool quantity_is_known(const Quantity *quantity);

/* True if the headline is of quiet samples. */
bool quantity_is_alone(const Quantity *quantity);

/* The medians that the headline is of, in order of time; into @ret_medians, with room for n_processes. Returns how many. */
size_t quantity_medians(const Quantity *quantity, double *ret_medians);

/* Summarises the samples that stand for all, by the rule for a process. Returns 0, SUMMARY_E_EMPTY, or a negative errno. */
int quantity_summarize(const Quantity *quantity, SampleSummary *ret_summary);

/* A quantity beside the empty loop. */
typedef struct QuantityFloor {
        bool below;       /* a median is not above zero, or the interval of net is not */
        bool within_loop; /* an iteration may be as short as the loop's */
} QuantityFloor;

/*
 * Builds the message of a quantity that is known. The mean is not of logarithms where a median is not above zero. The
 * interval is widened if consecutive medians follow each other (stats/autocorrelation.h). A step of the clock that timed it is @step of
 * an operation: medians are whole steps, and may be all the same one, so that no half of an interval is under a step, and none of
 * net, which is of two readings, under two. Returns 0 or a negative errno.
 */
int quantity_report(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity **ret_message,
                QuantityFloor *ret_floor);
