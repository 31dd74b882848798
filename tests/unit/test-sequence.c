/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparisons that end by themselves: what all looks promise together, when they end, and what a look tells. */

#include "stats/sequence.h"

#include "random.h"
#include "tests/bench/simulation/ending.h"

#define N_DRAWS 3000
#define MARGIN  0.005

static EndingRates rates_of(gsl_rng *random, EndingScenario scenario) {
        EndingRates rates;

        assert_int_equal(ending_rates(random, N_DRAWS, &scenario, &rates), 0);
        return rates;
}

TEST(all_looks_together_are_wrong_no_more_often_than_one_test) {
        static const EndingScenario rows[] = {
                { ENDING_NORMAL, .spread = 0.001, .n_strata = 4 },
                { ENDING_NORMAL, .spread = 0.004, .n_strata = 4 },
                { ENDING_NORMAL, .spread = 0.004, .n_strata = 2 },
                { ENDING_NORMAL, .spread = 0.004, .n_strata = 1 },
                { ENDING_T3, .spread = 0.004, .n_strata = 4 },
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                EndingScenario edge = rows[i];
                EndingRates rates;

                edge.truth = MARGIN;
                rates = rates_of(random, edge);
                assert_true(rates.slower <= 0.025 + share_tolerance(0.025, N_DRAWS));
                assert_true(rates.same <= 0.05 + share_tolerance(0.05, N_DRAWS));
                assert_true(rates.covered >= 0.95 - share_tolerance(0.95, N_DRAWS));
        }
}

TEST(what_is_clear_ends_at_the_first_look_and_the_rest_where_a_fixed_number_would) {
        static const struct {
                double spread, truth;
                unsigned most;
        } rows[] = { { 0.002, 0, 8 }, { 0.002, 0.01, 8 }, { 0.002, 0.05, 8 }, { 0.004, 0.02, 8 }, { 0.004, 0.05, 8 },
                { 0.008, 0.05, 8 }, { 0.004, 0, 12 }, { 0.004, 0.01, 12 }, { 0.008, 0, 24 } };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const EndingRates rates = rates_of(random,
                                (EndingScenario){ .spread = rows[i].spread, .truth = rows[i].truth, .n_strata = 4 });

                assert_true(rates.median_pairs <= rows[i].most);
        }
}

TEST(tables_of_rows_that_end_by_themselves_are_wrong_in_five_percent) {
        static const size_t n_rows[] = { 2, 10, 50 };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(n_rows); i++) {
                double share;

                assert_int_equal(ending_family_rate(random, 500, n_rows[i], &share), 0);
                assert_true(share <= 0.05 + share_tolerance(0.05, 500));
        }
}

TEST(the_looks_rise_each_place_as_often_and_their_levels_leave_something_for_a_last_one) {
        for (uint32_t i = 0; i < SEQUENCE_LOOKS_N; i++) {
                assert_int_equal(sequence_looks[i].pairs % 4, 0);
                assert_true(i == 0 || sequence_looks[i].pairs > sequence_looks[i - 1].pairs);
                assert_true(sequence_looks[i].beyond < sequence_looks[i].last_beyond &&
                                sequence_looks[i].last_beyond <= 0.025);
                assert_true(sequence_looks[i].same < sequence_looks[i].last_same &&
                                sequence_looks[i].last_same <= 0.05);
                assert_int_equal(sequence_looks_within(sequence_looks[i].pairs), i + 1);
                assert_int_equal(sequence_looks_within(sequence_looks[i].pairs - 1), i);
        }
        assert_int_equal(sequence_looks_within(1000), SEQUENCE_LOOKS_N);
}

/* Pairs of @spread around @mean, half on each side of it; in place of chance. */
static Comparison compare_at(const SequencePoint *at, double mean, double spread, size_t n) {
        Comparison found;
        double logs[32];

        for (size_t i = 0; i < n; i++)
                logs[i] = mean + (i % 2 ? spread : -spread);
        assert_int_equal(sequence_compare(logs, NULL, n, at, &found), 0);
        return found;
}

TEST(a_fixed_number_is_compared_as_ever) {
        const SequencePoint fixed = { .margin = MARGIN };
        const ComparisonRule rule = { .confidence = 0.95, .margin = MARGIN };
        const Comparison found = compare_at(&fixed, 0.012, 0.004, 8);
        Comparison usual, foreseen = found;
        double logs[8];

        for (size_t i = 0; i < 8; i++)
                logs[i] = 0.012 + (i % 2 ? 0.004 : -0.004);
        assert_int_equal(comparison_paired(logs, NULL, 8, &rule, &usual), 0);
        assert_true(found.low == usual.low && found.high == usual.high && found.p_value == usual.p_value);
        assert_int_equal(found.verdict, usual.verdict);
        comparison_foresee(&usual, &rule);
        sequence_foresee(&foreseen, &fixed);
        assert_true(foreseen.detectable == usual.detectable);
        assert_int_equal(sequence_outcome(&found, &fixed, 1), SEQUENCE_LAST);
}

TEST(an_early_look_has_the_wider_interval_and_the_larger_p) {
        const SequencePoint fixed = { .margin = MARGIN }, first = { .n = SEQUENCE_LOOKS_N, .margin = MARGIN };
        const Comparison once = compare_at(&fixed, 0.012, 0.004, 8), early = compare_at(&first, 0.012, 0.004, 8);

        assert_true(early.low < once.low && early.high > once.high);
        assert_true(early.p_value > once.p_value && early.p_value < 0.05);
        assert_true(sequence_rule(&first).confidence == 1 - 2 * sequence_looks[0].beyond);
}

TEST(p_is_under_five_percent_where_the_interval_is_beyond_the_margin_and_nowhere_else) {
        for (uint32_t look = 0; look < SEQUENCE_LOOKS_N; look++) {
                const SequencePoint at = { .n = SEQUENCE_LOOKS_N, .look = look, .margin = MARGIN };

                for (double mean = 0.005; mean < 0.02; mean += 0.0001) {
                        const Comparison found = compare_at(&at, mean, 0.004, sequence_looks[look].pairs);

                        assert_true((found.p_value < 0.05) == (found.verdict == COMPARISON_SLOWER));
                }
        }
}

TEST(a_look_ends_by_a_verdict_without_hope_or_as_the_last) {
        static const struct {
                uint32_t look;
                double mean, spread;
                size_t n_rows;
                SequenceOutcome outcome;
        } rows[] = {
                { 0, 0, 0.002, 1, SEQUENCE_DECIDED },        /* the same */
                { 0, 0, 0.002, 50, SEQUENCE_DECIDED },       /* however many rows there are */
                { 0, 0.02, 0.004, 1, SEQUENCE_DECIDED },     /* slower */
                { 0, -0.02, 0.004, 1, SEQUENCE_DECIDED },    /* faster */
                { 0, 0.012, 0.004, 50, SEQUENCE_GOES_ON },   /* but chance may do that to one of fifty */
                { 0, 0.002, 0.008, 1, SEQUENCE_GOES_ON },    /* not yet */
                { 1, 0, 0.1, 1, SEQUENCE_HOPELESS },         /* no 32 pairs would do */
                { 4, 0.00498, 0.002, 1, SEQUENCE_HOPELESS }, /* on the edge */
                { SEQUENCE_LOOKS_N - 1, 0.00498, 0.002, 1, SEQUENCE_LAST },
                { SEQUENCE_LOOKS_N - 1, 0.02, 0.002, 1, SEQUENCE_LAST },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const SequencePoint at = { .n = SEQUENCE_LOOKS_N, .look = rows[i].look, .margin = MARGIN };
                const Comparison found = compare_at(&at, rows[i].mean, rows[i].spread, sequence_looks[at.look].pairs);

                assert_int_equal(sequence_outcome(&found, &at, rows[i].n_rows), rows[i].outcome);
        }
}

TEST(pairs_that_agree_exactly_or_to_a_step_of_the_clock_end_too) {
        const SequencePoint at = { .n = SEQUENCE_LOOKS_N, .margin = MARGIN },
                            coarse = { .n = SEQUENCE_LOOKS_N, .margin = MARGIN, .step = 0.01 };
        Comparison found = compare_at(&at, 0, 0, 8);

        assert_int_equal(sequence_outcome(&found, &at, 1), SEQUENCE_DECIDED);
        found = compare_at(&coarse, 0.002, 0, 8);
        assert_int_equal(sequence_outcome(&found, &coarse, 1), SEQUENCE_HOPELESS);
        found = compare_at(&coarse, 0.002, 0.0001, 8);
        assert_int_equal(sequence_outcome(&found, &coarse, 1), SEQUENCE_HOPELESS);
}

/* "Such runs" go to the last look; a fixed number that would settle it is for --processes. */
TEST(what_is_foreseen_is_of_the_last_look_and_of_a_fixed_number) {
        const SequencePoint at = { .n = SEQUENCE_LOOKS_N, .margin = MARGIN };
        const ComparisonRule rule = { .confidence = 0.95, .margin = MARGIN };
        Comparison found = compare_at(&at, 0.002, 0.008, 8), fixed = found;

        sequence_foresee(&found, &at);
        comparison_foresee(&fixed, &rule);
        assert_int_equal(found.verdict, COMPARISON_UNRESOLVED);
        assert_int_equal(found.processes_needed, fixed.processes_needed);
        assert_true(found.detectable > MARGIN && found.detectable < fixed.detectable);
}
