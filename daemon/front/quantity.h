/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One quantity of a benchmark (time, or cycles, of an operation): every sample of every process, those that no detector
 * marked apart, those of the empty loop, and the headline made from the processes' medians (measurement.md 3 and 6). Net is
 * a process's median less that of its loop, with an interval on the plain values, which may be negative. What a process
 * gave is sorted when it ends and pooled then (stats/pool.h), so that no step is long. Pure.
 *
 * A process's median is over its undisturbed samples where at least half of them, and QUANTITY_UNDISTURBED_MIN, are; else
 * over all. The rule is fixed before the run, and looks at flags only, never at a sample's value.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/arena.h"
#include "proto/benchd.pb-c.h"
#include "stats/pool.h"

#define QUANTITY_UNDISTURBED_MIN 10u

/* Of the process under way. */
typedef struct QuantitySamples {
        double *values;
        size_t n;
} QuantitySamples;

typedef struct Quantity {
        Pool undisturbed; /* of the processes that ended */
        Pool disturbed;
        Pool loop; /* of the empty loop */
        QuantitySamples undisturbed_now;
        QuantitySamples disturbed_now;
        QuantitySamples loop_now;
        QuantitySamples headline; /* those that the median of the last process is of, in rising order */
        double *medians;          /* one a process, in order */
        double *nets;             /* ... less that of its empty loop; NaN: it has none */
        size_t n_processes;
} Quantity;

void quantity_deinit(Quantity *quantity);

/* Begins a process of at most @n_samples, and @n_loop_samples of the empty loop. Returns 0 or a negative errno. */
int quantity_reserve(Quantity *quantity, size_t n_samples, size_t n_loop_samples);

/* Adds a sample of the process under way, for which there is room. */
void quantity_add(Quantity *quantity, double value, bool undisturbed);

/* ... or of its empty loop. */
void quantity_add_loop(Quantity *quantity, double value);

/* Ends the process under way; @ret_median is NaN if it gave no sample. Returns 0 or a negative errno. */
int quantity_end_process(Quantity *quantity, double *ret_median);

/* The samples of all processes that ended. */
size_t quantity_count(const Quantity *quantity);

/* Whether the pooled samples that stand for all are the undisturbed ones, by the rule for a process. */
bool quantity_is_undisturbed(const Quantity *quantity);

/* Whether every process gave a sample, and there is one. */
bool quantity_is_known(const Quantity *quantity);

/* How a quantity stands to the empty loop. */
typedef struct QuantityFloor {
        bool below;       /* a median is not above zero, or the interval of net is not */
        bool within_loop; /* an iteration may be as short as the loop's */
} QuantityFloor;

/*
 * Builds the message of a quantity that is known. Where a median is not above zero the mean is not of logarithms. A step of
 * the clock that timed it is @step of an operation: medians are whole steps, and may be all the same one, so that no half of
 * an interval is under a step, and none of net, which is of two readings, under two. Returns 0 or a negative errno.
 */
int quantity_report(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity **ret_message,
                QuantityFloor *ret_floor);
