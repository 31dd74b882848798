/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Findings about the times of a benchmark, each in a sentence that says what to do: a table of conditions and words. Pure.
 *
 * A sentence that comes without cause is worse than none, since it teaches not to read them. So each threshold is one of
 * size as well as of probability, and tests/unit/test-finding.c counts over simulated runs how often noise alone is called
 * odd: in under 1 % of them, whichever of its kinds.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/warning.h"
#include "proto/benchd.pb-c.h"

typedef struct SpreadFound SpreadFound;

#define FINDING_DRIFT_P    0.001 /* ten benchmarks a run, a hundred runs: one drift that is none */
#define FINDING_DRIFT_MIN  0.01  /* least change; and more than half the interval, or it decides nothing */
#define FINDING_ESS_SHARE  0.2 /* of the samples: neighbours correlated by two thirds, which noise of a machine is not */
#define FINDING_MEAN_MIN   0.01 /* least distance, where the interval is narrower than anybody's question */
#define FINDING_PLACE_MIN  0.02 /* least distance of the fastest place and the slowest */
#define FINDING_DUBIOUS    2 /* harness errors: a time below them is mostly harness, as the guide of MeasureIt has it */
#define FINDING_WIDE       0.05 /* half of an interval: the small differences that people look for drown in it */
#define FINDING_WIDE_STEPS 1.5  /* ... and in steps of the clock: of fewer, more processes take little off */

/* The facts on a benchmark. */
typedef struct FindingFacts {
        const SpreadFound *spread;
        double interval;         /* ln(high / low) of the headline; NaN: it has none */
        double step;             /* of the clock in a batch, relative to the headline */
        double time_ns;          /* the headline */
        double harness_error_ns; /* an operation's; NaN: not known, or told in other words */
        double mean;             /* of the samples that the headline is of, pooled; NaN: not known */
        double median;
        const Benchd__Amortised *amortised; /* NULL: there is no rare slow part */
        bool shared; /* the headline is of the time beside a busy neighbour, which explains what is odd */
} FindingFacts;

/* Appends a sentence for each finding. */
void finding_report(const FindingFacts *facts, Arena *arena, WarningList *warnings);

/* @value rounded to the two digits that a sentence needs of it; for printf's %.10g, since its %.2g writes 820 as 8.2e+02. */
double finding_two_digits(double value);
