/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Estimates of one benchmark from the sample blocks of its processes, one after another. A block is reduced to a number a
 * sample when its process has ended, and all that is made of a process is made then: at the end there is little left to
 * do, however many samples there are (docs/open-ends.md says how long it takes).
 *
 * The headline is made from the processes' medians, each over samples that had the core alone (benchd-methods(7)). Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define ESTIMATE_LINE_BYTES 64 /* of a cache: loop_offset is that in such a line */

typedef struct Estimate Estimate;

int estimate_new(Estimate **ret_estimate);
Estimate *estimate_free(Estimate *estimate);

DEFINE_CLEANUP(Estimate *, estimate_free)

/* Takes the empty loop off every sample, as older methods do: there is then neither loop nor net. Before any is added. */
void estimate_take_off_loop(Estimate *estimate);

/* The body is the empty loop itself, whose time no error makes dubious: it is the error. */
void estimate_be_nothing(Estimate *estimate);

/* Tells which instruments took part in any process. */
uint32_t estimate_instruments(const Estimate *estimate);

/* Adds the process that wrote @block, checked and complete, on the CPU with @clock. Returns 0 or a negative errno. */
int estimate_add(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock);

/* The medians of a headline: the times of an operation, in order, each at a place of the module within its cache line. */
typedef struct EstimateMedians {
        double *values;
        uint32_t *places;
        size_t n;
} EstimateMedians;

/* Those of @estimate, in new arrays, the caller's. Returns 0 or a negative errno. */
int estimate_medians_ns(const Estimate *estimate, EstimateMedians *ret_medians);
void estimate_medians_clear(EstimateMedians *medians);

/* The mean of an operation of the last process, with what few batches had beyond its median (front/samples/amortised.h). */
double estimate_last_mean_ns(const Estimate *estimate);

/* True if the last process that was added gave a median of quiet samples. */
bool estimate_last_is_quiet(const Estimate *estimate);

/* True if another hardware thread, rather than other work, kept samples from being quiet. */
bool estimate_had_company(const Estimate *estimate);

/* True if the core of a process has no probes: nothing told whether it was alone. */
bool estimate_is_blind(const Estimate *estimate);

/* A step of the clock relative to the time of a batch: the largest of the processes added. */
double estimate_step(const Estimate *estimate);

/*
 * Fills in the times and counts of @result, with parts from @arena, and appends warnings. At least one process was added; @n_wanted were
 * to give a median. Returns 0 or a negative errno.
 */
int estimate_report(Estimate *estimate, size_t n_wanted, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings);
