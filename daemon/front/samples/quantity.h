/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One quantity of a benchmark (time, or cycles, of an operation): every sample of every process, by what marked it, those of the
 * empty loop, and the headline made from the processes' medians (benchd-methods(7)). The values of a process are sorted when it
 * ends and pooled then (stats/pool.h), so that no step is long. Pure.
 *
 * A process's median is over its quiet samples, and over the undisturbed ones among these where nearly all are: an interrupt hits a
 * sample in proportion to its length, so to leave more of them out would select by time. A process with too few quiet ones, under
 * EFFORT_QUIET_MIN and under half, gives none. The headline is of one measurand and never of a mixture: the time alone, by the processes
 * that give a median of it; if none does, the time while shared, by their shared samples; if neither can be told, the time of all
 * samples. The rule is fixed before the run, and looks at flags only, never at a sample's value.
 *
 * Processes lie at a few places within a cache line, which are conditions and no chance: the point is the mean over the places, the
 * interval of the spread within them (stats/interval.h). The interval goes as much further down as the quiet samples that were not alone
 * after all may have moved the medians (front/samples/contamination.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "front/samples/sample.h"
#include "proto/benchd.pb-c.h"
#include "stats/pool.h"

#define QUANTITY_UNDISTURBED_MIN   10u
#define QUANTITY_UNDISTURBED_SHARE 0.95 /* of the quiet samples; fewer undisturbed ones are not selected */

/* Samples of the process under way. */
typedef struct QuantitySamples {
        double *values;
        size_t n;
} QuantitySamples;

/* The time that a headline is of. */
typedef enum QuantityMeasurand {
        MEASURAND_ALONE,  /* with the core alone */
        MEASURAND_SHARED, /* beside a busy neighbour */
        MEASURAND_ALL,    /* of all samples: nothing tells them apart, or other work had the core in most */
} QuantityMeasurand;

/* The conditions of a process: they are not its samples'. */
typedef struct QuantityConditions {
        uint32_t place;       /* of the module within its cache line, under RUNNER_IMAGE_OFFSETS */
        double contamination; /* share of the quiet samples that may not have been alone */
} QuantityConditions;

/* The medians of a process that ended; NaN: it has none. */
typedef struct QuantityProcess {
        double quiet;
        double shared; /* of its shared samples */
        double all;
        double loop;         /* of its empty loop's quiet samples */
        double contaminated; /* how far, as a logarithm, its quiet median may lie above the time alone */
        uint32_t place;
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
        size_t n_quiet;  /* that have a quiet median */
        size_t n_shared; /* that have a shared one */
        bool is_given;   /* the measurand, not by these samples */
        QuantityMeasurand given;
} Quantity;

/* The worst class of those that a median is over, by how many there are of each: _TAKEN where too few are quiet, so all count. */
SampleClass quantity_rule(const size_t n[static _SAMPLE_CLASS_N]);

void quantity_deinit(Quantity *quantity);

/* Begins a process of at most @n_samples, and @n_loop_samples of the empty loop. Returns 0 or a negative errno. */
int quantity_reserve(Quantity *quantity, size_t n_samples, size_t n_loop_samples);

/* Adds a sample of the process under way, for which there is room. */
void quantity_add(Quantity *quantity, double value, SampleClass class);

/* ... or of its empty loop. */
void quantity_add_loop(Quantity *quantity, double value, SampleClass class);

/* Ends the process under way, which ran under @conditions. Returns 0 or a negative errno. */
int quantity_end_process(Quantity *quantity, const QuantityConditions *conditions, QuantityProcess *ret_process);

/* The samples of all processes that ended. */
size_t quantity_count(const Quantity *quantity);

/* True if every process gave a sample, and there is one. */
bool quantity_is_known(const Quantity *quantity);

/* True if a process gave a median of the headline's measurand. */
bool quantity_has_headline(const Quantity *quantity);

/* True if another hardware thread, rather than other work, kept samples from being quiet. */
bool quantity_had_company(const Quantity *quantity);

/* The headline is of @measurand, that of the time of the same samples. */
void quantity_be_of(Quantity *quantity, QuantityMeasurand measurand);

/* The measurand of the headline. */
QuantityMeasurand quantity_measurand(const Quantity *quantity);

/* The median of @process that a headline of @measurand is of; NaN: none. */
double quantity_process_median(const QuantityProcess *process, QuantityMeasurand measurand);

/*
 * The medians that the headline is of, in order of time, into @ret_medians, with room for n_processes, and their places into @ret_places,
 * or NULL. Returns how many.
 */
size_t quantity_medians(const Quantity *quantity, double *ret_medians, uint32_t *ret_places);

/* How far, as a logarithm, the headline may lie above the time alone, since quiet samples may not have been alone. */
double quantity_contaminated(const Quantity *quantity);

/* Summarises the samples that stand for all, by the rule for a process. Returns 0, POOL_E_EMPTY, or a negative errno. */
int quantity_summarize(const Quantity *quantity, PoolSummary *ret_summary);

/* A quantity beside the empty loop. */
typedef struct QuantityFloor {
        bool below;       /* a median is not above zero, or the interval of net is not */
        bool within_loop; /* an iteration may be as short as the loop's */
} QuantityFloor;

/*
 * Builds the message of a quantity that is known. The mean is not of logarithms where a median is not above zero. The
 * interval is widened if consecutive medians, their places' levels taken off, follow each other (stats/autocorrelation.h). A step of the clock that timed it is @step of
 * an operation: medians are whole steps, and may be all the same one, so that no half of an interval is under a step, and none of
 * net, which is of two readings, under two. Returns 0 or a negative errno.
 */
int quantity_report(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity **ret_message,
                QuantityFloor *ret_floor);
