/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Findings on the times of a benchmark, each a sentence that says what to do: a table of conditions and words. Pure.
 *
 * A false alarm is worse than none, since it teaches users to ignore the sentences. So each threshold is one of size as well as of
 * probability, and tests/unit/test-finding.c checks on simulated runs that noise alone is called odd in under 1 % of them, for every kind
 * of noise.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/warning.h"
#include "proto/benchd.pb-c.h"

typedef struct SpreadFound SpreadFound;

#define FINDING_DRIFT_P    0.001 /* ten benchmarks a run, a hundred runs: one false drift */
#define FINDING_DRIFT_MIN  0.01  /* least change; it must also exceed half the interval to matter */
#define FINDING_ESS_SHARE  0.2 /* of the samples: neighbours correlated by two thirds, which noise of a machine is not */
#define FINDING_MEAN_MIN   0.01 /* least distance, for intervals narrower than any question */
#define FINDING_PLACE_MIN  0.02 /* least distance between the fastest and the slowest place */
#define FINDING_DUBIOUS    2    /* harness errors: a time below them is mostly harness (the guide of MeasureIt) */
#define FINDING_WIDE       0.05 /* half of an interval: it hides the small differences that people look for */
#define FINDING_WIDE_STEPS 1.5  /* and in steps of the clock: with fewer, more processes hardly narrow it */

/* The facts on a benchmark. */
typedef struct FindingFacts {
        const SpreadFound *spread;
        double interval;         /* ln(high / low) of the headline; NaN: no interval */
        double step;             /* of the clock in a batch, relative to the headline */
        double time_ns;          /* the headline */
        double harness_error_ns; /* per operation; NaN: unknown, or reported in other words */
        double mean;             /* of the headline's samples, pooled; NaN: unknown */
        double median;
        const Benchd__Amortised *amortised; /* NULL: there is no rare slow part */
        bool shared; /* the headline is the time beside a busy neighbour, which explains oddities */
} FindingFacts;

/* Appends a sentence for each finding. */
void finding_report(const FindingFacts *facts, Arena *arena, WarningList *warnings);

/* Rounds @value to two digits for a sentence, to be printed with %.10g, since %.2g prints 820 as 8.2e+02. */
double finding_two_digits(double value);
