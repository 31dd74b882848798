/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Estimates of one benchmark from the sample blocks of its processes, one after another. When a process has ended, its block is reduced to
 * one number per sample and evaluated at once, so that little is left to do at the end, however many samples there are (docs/open-ends.md
 * says how long it takes).
 *
 * The headline comes from the processes' medians, each over samples that had the core alone (benchd-methods(7)). Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define ESTIMATE_LINE_BYTES 64 /* of a cache line: loop_offset is the offset in it */

typedef struct Estimate Estimate;

int estimate_new(Estimate **ret_estimate);
Estimate *estimate_free(Estimate *estimate);

DEFINE_CLEANUP(Estimate *, estimate_free)

/*
 * Subtracts the empty loop from every sample, as older methods do; then there is neither loop nor net. To be called before any process is
 * added.
 */
void estimate_take_off_loop(Estimate *estimate);

/* Sets the warning of batches that outlast a window of SCHED_FIFO; without this call it is that of benchd's own method. */
void estimate_set_long_batch(Estimate *estimate, WarningKind kind);

/* Declares the body to be the empty loop itself: its time is the harness error, and so never dubious because of it. */
void estimate_be_nothing(Estimate *estimate);

/* The instruments that took part in any process. */
uint32_t estimate_instruments(const Estimate *estimate);

/* Adds the process that wrote @block, checked and complete, on the CPU with @clock. Returns 0 or a negative errno. */
int estimate_add(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock);

/* The medians of a headline: times of an operation in the order of the processes, each with the module's place within its cache line. */
typedef struct EstimateMedians {
        double *values;
        uint32_t *places;
        size_t n;
} EstimateMedians;

/* Copies the medians of @estimate into new arrays of the caller. Returns 0 or a negative errno. */
int estimate_medians_ns(const Estimate *estimate, EstimateMedians *ret_medians);
void estimate_medians_clear(EstimateMedians *medians);

/* The mean of an operation in the last process: its median plus the excess of few long batches (front/samples/amortised.h). */
double estimate_last_mean_ns(const Estimate *estimate);

/* True if the last added process has a median of quiet samples. */
bool estimate_last_is_quiet(const Estimate *estimate);

/* True if samples are not quiet because of another hardware thread, rather than of other work. */
bool estimate_had_company(const Estimate *estimate);

/* True if the core of a process has no probes, so that it is unknown if it was alone. */
bool estimate_is_blind(const Estimate *estimate);

/* A step of the clock relative to the time of a batch; the largest of all processes. */
double estimate_step(const Estimate *estimate);

/*
 * Fills in the times and counts of @result, with parts from @arena, and appends warnings. At least one process must have been added;
 * @n_wanted should have a median. Returns 0 or a negative errno.
 */
int estimate_report(Estimate *estimate, size_t n_wanted, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings);
