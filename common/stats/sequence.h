/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A comparison that ends by itself: it looks at its pairs of processes at a few numbers of them that are fixed beforehand, and ends at
 * the first look with a verdict, or without one where the last look will hardly have one.
 *
 * Who looks often is wrong often: six tests at 2.5 % are wrong in 8 %. So each look has a level of its own, and all together are wrong in
 * 2.5 % on either side of an edge of the margin, and call an edge the same in 5 % (Pocock, Biometrika 64, 1977; for verdicts of
 * equivalence Gould, Communications in Statistics 24, 1995). The levels come from a simulation, tests/bench/statistics --table=looks, which
 * counts with the functions below. The first look has the largest, since most comparisons end there.
 *
 * The interval at a look is the repeated confidence interval (Jennison and Turnbull, Journal of the Royal Statistical Society B 51, 1989):
 * at the confidence of its level it holds at all looks together in 95 %, and so at whichever look the comparison ends.
 *
 * No look is before the eighth pair: the first four, one at each place of the code, say too little about the spread, and where the times
 * have two modes all four are in one of them every eighth time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/comparison.h"

#define SEQUENCE_LOOKS_N 6u

/* A look, and the levels of its tests, each on one side. Nothing is left for later looks by the levels of a last one. */
typedef struct SequenceLook {
        uint32_t pairs;
        double beyond; /* faster, and slower */
        double same;
        double last_beyond;
        double last_same;
} SequenceLook;

extern const SequenceLook sequence_looks[SEQUENCE_LOOKS_N];

/* The number of looks at @pairs or fewer. */
uint32_t sequence_looks_within(uint32_t pairs);

/* A comparison against a margin, and where it is: its @look (from 0) of @n. No looks: the number of pairs is fixed, and this is their one test. */
typedef struct SequencePoint {
        uint32_t n;
        uint32_t look;
        double margin; /* as in ComparisonRule, likewise step */
        double step;
} SequencePoint;

/* The look, with the levels that it has there: the last of @n has those of a last one. Not of a fixed number. */
SequenceLook sequence_look(const SequencePoint *at);

/* The rule of the look. */
ComparisonRule sequence_rule(const SequencePoint *at);

/*
 * Compares @n log ratios of conditions @strata (NULL: of one) by the rule of the look. p_value is that of all looks: under 5 % where the
 * verdict is *faster* or *slower*, and held to be so small only where a table of many rows asks for it. Returns 0 or COMPARISON_E_TOO_FEW.
 */
int sequence_compare(const double *log_ratios, const uint32_t *strata, size_t n, const SequencePoint *at,
                Comparison *ret_comparison);

/* Fills in what comparison_foresee() does: the detectable difference of a run to the last look, and the pairs of one with a fixed number. */
void sequence_foresee(Comparison *comparison, const SequencePoint *at);

typedef enum SequenceOutcome {
        SEQUENCE_GOES_ON,
        SEQUENCE_DECIDED,
        SEQUENCE_HOPELESS, /* the last look has a verdict in at most SEQUENCE_HOPE, if spread and estimate stay */
        SEQUENCE_LAST,     /* it was the last look */
} SequenceOutcome;

#define SEQUENCE_HOPE 0.05

/*
 * The outcome of a look in a table of @n_rows. A difference ends its row only if it stands whatever the other rows turn out to be (Bonferroni), so
 * that Holm's adjustment takes back none that could have been surer.
 */
SequenceOutcome sequence_outcome(const Comparison *comparison, const SequencePoint *at, size_t n_rows);
