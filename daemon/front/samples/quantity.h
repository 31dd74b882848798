/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One quantity of a benchmark (time or cycles per operation): the samples of all processes by class, the samples of the empty loop, and the
 * headline made from the processes' medians (benchd-methods(7)). The values of a process are sorted and pooled (stats/pool.h) when it ends,
 * so that no step is long. Pure.
 *
 * A process's median is over its quiet samples, or over the undisturbed ones among them if nearly all are: an interrupt hits a sample in
 * proportion to its length, so leaving out more would select by time. A process with too few quiet samples (under EFFORT_QUIET_MIN and
 * under half) gives none. The headline has one measurand, never a mixture: the time alone, from the processes with a median of it; if there
 * are none, the time while shared, from their shared samples; if neither is known, the time of all samples. The rule is fixed before the
 * run and looks only at flags, never at a sample's value.
 *
 * Processes run at a few places of the module within a cache line, which are conditions, not chance: the point is the mean over the places,
 * and the interval comes from the spread within them (stats/interval.h). Its lower end is extended by as much as contaminated quiet samples
 * may have moved the medians (front/samples/contamination.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "front/samples/sample.h"
#include "proto/benchd.pb-c.h"
#include "stats/pool.h"

#define QUANTITY_UNDISTURBED_MIN   10u
#define QUANTITY_UNDISTURBED_SHARE 0.95 /* of the quiet samples; with fewer undisturbed ones, all quiet samples count */

/* Samples of the current process. */
typedef struct QuantitySamples {
        double *values;
        size_t n;
} QuantitySamples;

/* The time that a headline measures. */
typedef enum QuantityMeasurand {
        MEASURAND_ALONE,  /* with the core alone */
        MEASURAND_SHARED, /* beside a busy neighbour */
        MEASURAND_ALL,    /* over all samples: they cannot be told apart, or other work had the core in most */
} QuantityMeasurand;

/* The conditions under which a process ran. */
typedef struct QuantityConditions {
        uint32_t place;       /* of the module within its cache line, under RUNNER_IMAGE_OFFSETS */
        double contamination; /* share of the quiet samples that may not have been alone */
} QuantityConditions;

/* The medians of an ended process; NaN: none. */
typedef struct QuantityProcess {
        double quiet;
        double shared; /* of its shared samples */
        double all;
        double loop;         /* of the quiet samples of its empty loop */
        double contaminated; /* how far, as a logarithm, its quiet median may lie above the time alone */
        uint32_t place;
} QuantityProcess;

typedef struct Quantity {
        Pool pools[_SAMPLE_CLASS_N]; /* of ended processes */
        Pool loop;                   /* of the empty loop */
        QuantitySamples now[_SAMPLE_CLASS_N];
        QuantitySamples loop_now;
        QuantitySamples loop_busy; /* of the empty loop: not quiet samples */
        QuantitySamples headline; /* the samples behind the last process's median, in rising order; all samples if it has none */
        SampleClass headline_class; /* the worst class among these */
        QuantityProcess *processes; /* in order */
        size_t n_processes;
        size_t n_quiet;  /* with a quiet median */
        size_t n_shared; /* with a shared median */
        bool is_given;   /* the measurand is given, not derived from these samples */
        QuantityMeasurand given;
} Quantity;

/* The worst class that a median includes, from the number of samples of each class; _TAKEN if too few are quiet, so that all count. */
SampleClass quantity_rule(const size_t n[static _SAMPLE_CLASS_N]);

void quantity_deinit(Quantity *quantity);

/* Begins a process with at most @n_samples, and @n_loop_samples of the empty loop. Returns 0 or a negative errno. */
int quantity_reserve(Quantity *quantity, size_t n_samples, size_t n_loop_samples);

/* Adds a sample of the current process; quantity_reserve() must have made room. */
void quantity_add(Quantity *quantity, double value, SampleClass class);

/* Adds a sample of its empty loop. */
void quantity_add_loop(Quantity *quantity, double value, SampleClass class);

/* Ends the current process, which ran under @conditions. Returns 0 or a negative errno. */
int quantity_end_process(Quantity *quantity, const QuantityConditions *conditions, QuantityProcess *ret_process);

/* The number of samples of all ended processes. */
size_t quantity_count(const Quantity *quantity);

/* True if there is a process, and each gave a sample. */
bool quantity_is_known(const Quantity *quantity);

/* True if a process has a median of the headline's measurand. */
bool quantity_has_headline(const Quantity *quantity);

/* True if samples are not quiet because of another hardware thread, rather than of other work. */
bool quantity_had_company(const Quantity *quantity);

/* Sets the measurand of the headline to @measurand, the one of the time of the same samples. */
void quantity_be_of(Quantity *quantity, QuantityMeasurand measurand);

/* The measurand of the headline. */
QuantityMeasurand quantity_measurand(const Quantity *quantity);

/* The median of @process for a headline of @measurand; NaN: none. */
double quantity_process_median(const QuantityProcess *process, QuantityMeasurand measurand);

/*
 * Writes the medians behind the headline, in order of time, to @ret_medians (room for n_processes), and their places to @ret_places (or
 * NULL). Returns their number.
 */
size_t quantity_medians(const Quantity *quantity, double *ret_medians, uint32_t *ret_places);

/* How far, as a logarithm, the headline may lie above the time alone because of contaminated quiet samples. */
double quantity_contaminated(const Quantity *quantity);

/* Summarises the samples of all processes, selected by the rule for a process. Returns 0, POOL_E_EMPTY, or a negative errno. */
int quantity_summarize(const Quantity *quantity, PoolSummary *ret_summary);

/* A quantity beside the empty loop. */
typedef struct QuantityFloor {
        bool below;       /* a median, or the interval of net, is not above zero */
        bool within_loop; /* an iteration may be as short as one of the empty loop */
} QuantityFloor;

/*
 * Builds the message of a known quantity. The mean is not geometric if a median is not above zero. The interval is widened if consecutive
 * medians, adjusted for their places, are correlated (stats/autocorrelation.h). @step is the resolution of the clock, per operation:
 * medians are multiples of it and may all be equal, so half an interval is at least one step, and for net, the difference of two readings,
 * at least two. Returns 0 or a negative errno.
 */
int quantity_report(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity **ret_message,
                QuantityFloor *ret_floor);
