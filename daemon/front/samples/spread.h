/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Spread of a benchmark's times: within its processes and between them, at the places of the module and within these, the resemblance
 * of samples to the one before, the drift of processes, and the modes of both kinds (benchd-methods(7)). A process is reduced to a few numbers when it ends. Pure.
 *
 * It is that of the samples that a process's median is of. Order in time is that of its first thread.
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
 * Modes within processes are told if at least one process in so many has them: half have what is the body's own. Noise shows them in at
 * most 0.3 % of processes, its worst kind in 7 % (stats/modes.h).
 */
#define SPREAD_WITHIN_SHARE 2u

/* Under so many processes no modes of either kind are told: each process is then too large a share of all. */
#define SPREAD_MODES_PROCESSES_MIN 5u

/* The place decides if as much of the variance of the medians goes with it: of twelve processes, noise alone has it in 0.4 %. */
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
        bool not_positive; /* a sample had no logarithm: nothing is told of variance */
} Spread;

/* The samples of a process: times of an operation. */
typedef struct SpreadSamples {
        const double *sequence; /* of the first thread, in the order of time */
        size_t n_sequence;
        const double *sorted; /* of all threads, in rising order */
        const double *steady; /* the same at one frequency of the core, as is the sequence, as far as it is known; in rising order */
        size_t n;
        double step; /* between readings, in their unit */
        bool quiet;  /* these had the core alone: else its median is in no headline but that of the time while shared */
} SpreadSamples;

/* The findings over all processes. NaN, and 0 modes, stand for unknown ones. */
typedef struct SpreadFound {
        VarianceComponents variance;
        double place_share; /* of the variance of the processes' medians: as much goes with the module's place */
        double places[RUNNER_IMAGE_OFFSETS]; /* the geometric mean of the medians at each; NaN: there is none */
        size_t n_at_place[RUNNER_IMAGE_OFFSETS];
        double ess; /* of all samples */
        size_t n_samples;
        Drift drift; /* median of changes; p-values combined by Stouffer's method, signs kept (The American Soldier, 1949) */
        Modes within;
        size_t n_within; /* processes that have several */
        Modes between;
        AutocorrelationLag succession; /* of the medians of consecutive processes */
        size_t n_processes;
} SpreadFound;

void spread_deinit(Spread *spread);

/* Adds a process of 1 sample or more. Returns 0 or a negative errno. */
int spread_add(Spread *spread, const SpreadSamples *samples);

/*
 * Finds the spread of the processes that make the headline: the quiet ones if it is @alone, else all. @medians has @n, one a process in
 * order, at its place of @places; modes and resemblance are told apart from the places, which are conditions. Returns 0 or a negative errno.
 */
int spread_find(const Spread *spread, bool alone, const double *medians, const uint32_t *places, size_t n,
                SpreadFound *ret_found);

/* Fills in variance, drift and modes. Returns 0 or a negative errno. */
int spread_report(const SpreadFound *found, Arena *arena, Benchd__BenchmarkResult *result);
