/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/sequence.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define SEQUENCE_CONFIDENCE 0.95 /* of all looks together, and of a fixed number of pairs */

/*
 * At smaller levels the looks depend less on each other, and all together are wrong up to 1.45 times as often as their levels are smaller: this
 * power of the ratio holds down to a table of 500 rows (tests/bench/statistics --table=looks).
 */
#define SEQUENCE_P_POWER 0.94

const SequenceLook sequence_looks[SEQUENCE_LOOKS_N] = {
        /* clang-format off */
        { .pairs =  8, .beyond = 0.0125, .same = 0.0280, .last_beyond = 0.0250, .last_same = 0.0500 },
        { .pairs = 12, .beyond = 0.0045, .same = 0.0095, .last_beyond = 0.0165, .last_same = 0.0330 },
        { .pairs = 16, .beyond = 0.0045, .same = 0.0095, .last_beyond = 0.0135, .last_same = 0.0270 },
        { .pairs = 20, .beyond = 0.0045, .same = 0.0095, .last_beyond = 0.0110, .last_same = 0.0230 },
        { .pairs = 24, .beyond = 0.0045, .same = 0.0095, .last_beyond = 0.0090, .last_same = 0.0185 },
        { .pairs = 32, .beyond = 0.0045, .same = 0.0095, .last_beyond = 0.0055, .last_same = 0.0120 },
        /* clang-format on */
};

uint32_t sequence_looks_within(uint32_t pairs) {
        uint32_t n = 0;

        while (n < SEQUENCE_LOOKS_N && sequence_looks[n].pairs <= pairs)
                n++;
        return n;
}

static bool sequence_is_last(const SequencePoint *at) {
        return at->look + 1 >= at->n;
}

SequenceLook sequence_look(const SequencePoint *at) {
        SequenceLook look = sequence_looks[at->look];

        if (sequence_is_last(at)) {
                look.beyond = look.last_beyond;
                look.same = look.last_same;
        }
        return look;
}

ComparisonRule sequence_rule(const SequencePoint *at) {
        const SequenceLook look = sequence_look(at);
        ComparisonRule rule = { .confidence = SEQUENCE_CONFIDENCE, .margin = at->margin, .step = at->step };

        if (at->n == 0)
                return rule;
        rule.confidence = 1 - 2 * look.beyond;
        rule.same_confidence = 1 - look.same;
        return rule;
}

int sequence_compare(const double *log_ratios, const uint32_t *strata, size_t n, const SequencePoint *at,
                Comparison *ret_comparison) {
        const ComparisonRule rule = sequence_rule(at);
        int r;

        r = comparison_paired(log_ratios, strata, n, &rule, ret_comparison);
        if (r == 0 && at->n > 1)
                ret_comparison->p_value = ret_comparison->p_adjusted =
                                fmin((1 - SEQUENCE_CONFIDENCE) * pow(ret_comparison->p_value / (1 - rule.confidence),
                                                                                 SEQUENCE_P_POWER),
                                                1);
        return r;
}

/* Turns @difference into that of @pairs pairs like its own. */
static ComparisonDifference difference_of_pairs(const ComparisonDifference *difference, double pairs) {
        return (ComparisonDifference){
                .mean = difference->mean,
                .error = difference->error * sqrt(difference->n / pairs),
                .freedom = difference->freedom + pairs - difference->n,
                .n = pairs,
        };
}

static SequencePoint sequence_last(const SequencePoint *at) {
        return (SequencePoint){ .n = at->n, .look = at->n - 1, .margin = at->margin, .step = at->step };
}

void sequence_foresee(Comparison *comparison, const SequencePoint *at) {
        const ComparisonRule fixed = sequence_rule(&(SequencePoint){ .margin = at->margin, .step = at->step });
        ComparisonDifference difference;
        SequencePoint end;
        ComparisonRule last;

        if (at->n == 0) {
                comparison_foresee(comparison, &fixed);
                return;
        }
        end = sequence_last(at);
        last = sequence_rule(&end);
        difference = difference_of_pairs(&comparison->difference, sequence_looks[end.look].pairs);
        comparison->detectable = comparison_detectable(&difference, comparison->difference.freedom, &last);
        comparison->processes_needed = comparison_processes_needed(comparison, &fixed);
}

/* The chance that the last look has a verdict: the mean moves on by what the pairs to come add, of which only the spread so far is known. */
static double sequence_hope(const ComparisonDifference *now, const SequencePoint *at) {
        const SequencePoint end = sequence_last(at);
        const ComparisonRule rule = sequence_rule(&end);
        const ComparisonDifference then = difference_of_pairs(now, sequence_looks[end.look].pairs);
        const double moves = sqrt(now->error * now->error - then.error * then.error);
        const double margin = log1p(at->margin), mean = fabs(now->mean);
        const double beyond = margin +
                              fmax(at->step, then.error * gsl_cdf_tdist_Pinv((1 + rule.confidence) / 2, then.freedom));
        const double inside =
                        margin - fmax(at->step, then.error * gsl_cdf_tdist_Pinv(rule.same_confidence, then.freedom));
        double hope;

        if (!(moves > 0))
                return mean > beyond || mean < inside;
        hope = gsl_cdf_tdist_Q((beyond - mean) / moves, now->freedom) +
               gsl_cdf_tdist_Q((beyond + mean) / moves, now->freedom);
        if (inside > 0)
                hope += gsl_cdf_tdist_P((inside - mean) / moves, now->freedom) -
                        gsl_cdf_tdist_P((-inside - mean) / moves, now->freedom);
        return hope;
}

SequenceOutcome sequence_outcome(const Comparison *comparison, const SequencePoint *at, size_t n_rows) {
        if (sequence_is_last(at))
                return SEQUENCE_LAST;
        if (comparison->verdict == COMPARISON_SAME)
                return SEQUENCE_DECIDED;
        if (comparison->verdict != COMPARISON_UNRESOLVED && comparison->p_value * n_rows < 1 - SEQUENCE_CONFIDENCE)
                return SEQUENCE_DECIDED;
        return comparison->verdict == COMPARISON_UNRESOLVED &&
                                               sequence_hope(&comparison->difference, at) < SEQUENCE_HOPE
                               ? SEQUENCE_HOPELESS
                               : SEQUENCE_GOES_ON;
}
