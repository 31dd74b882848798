/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Spread of a benchmark's times: within and between processes, within and between the places of the module, the correlation of consecutive
 * samples, the drift within processes, and the modes within and between processes (benchd-methods(7)). A process is reduced to a few
 * numbers when it ends. Pure.
 *
 * Only the samples behind a process's median count. The order in time is that of its first thread.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "ops/runner-plan.h"
#include "proto/benchd.pb-c.h"
#include "stats/autocorrelation.h"
#include "stats/drift.h"
#include "stats/modes.h"
#include "stats/variance.h"

/*
 * Modes within processes are reported if at least one process in this many has them: half of all processes show a mode that is the body's
 * own. Noise shows modes in at most 0.3 % of processes, its worst kind in 7 % (stats/modes.h).
 */
#define SPREAD_WITHIN_SHARE 2u

/* With fewer processes no modes are reported: each process is then too large a share of all. */
#define SPREAD_MODES_PROCESSES_MIN 5u

/* The place decides if it explains at least this share of the medians' variance: with twelve processes, noise alone reaches it in 0.4 %. */
#define SPREAD_PLACE_SHARE 0.85

/* A process. */
typedef struct SpreadProcess {
        VarianceGroup group;
        Drift drift;  /* NaN: too few samples */
        double ess;   /* NaN: too few samples */
        Modes within; /* n 0: not known */
        bool quiet;   /* of quiet samples */
} SpreadProcess;

typedef struct Spread {
        SpreadProcess *processes;
        size_t n;
        bool not_positive; /* a sample has no logarithm: no variance is reported */
} Spread;

/* The samples of a process: times of an operation. */
typedef struct SpreadSamples {
        const double *sequence; /* of the first thread, in the order of time */
        size_t n_sequence;
        const double *sorted; /* of all threads, in rising order */
        const double *steady; /* `sorted`, adjusted to one core frequency as far as known, as `sequence` is; in rising order */
        size_t n;
        double step; /* resolution, in the unit of the times */
        bool quiet;  /* these had the core alone; else the median counts only for a time while shared */
} SpreadSamples;

/* The findings over all processes. NaN, and 0 modes, mean unknown. */
typedef struct SpreadFound {
        VarianceComponents variance;
        double place_share;                  /* share of the medians' variance explained by the module's place */
        double places[RUNNER_IMAGE_OFFSETS]; /* the geometric mean of the medians at each; NaN: none */
        size_t n_at_place[RUNNER_IMAGE_OFFSETS];
        double ess; /* of all samples */
        size_t n_samples;
        Drift drift; /* median of changes; p-values combined by Stouffer's method, signs kept (The American Soldier, 1949) */
        Modes within;
        size_t n_within; /* processes with several modes */
        Modes between;
        AutocorrelationLag succession; /* correlation of the medians of consecutive processes */
        size_t n_processes;
} SpreadFound;

void spread_deinit(Spread *spread);

/* Adds a process with at least one sample. Returns 0 or a negative errno. */
int spread_add(Spread *spread, const SpreadSamples *samples);

/*
 * Finds the spread of the processes behind the headline: the quiet ones if it is @alone, else all. @medians has @n values, one per process
 * in order, with its place in @places; the places are conditions, so modes and correlation are adjusted for them. Returns 0 or a negative
 * errno.
 */
int spread_find(const Spread *spread, bool alone, const double *medians, const uint32_t *places, size_t n,
                SpreadFound *ret_found);

/* Fills in variance, drift and modes. Returns 0 or a negative errno. */
int spread_report(const SpreadFound *found, Arena *arena, Benchd__BenchmarkResult *result);
