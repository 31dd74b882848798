/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "front/samples/paired-ratio.h"

#include "random.h"
#include "stats/sequence.h"
#include "test.h"
#include "util/cleanup.h"

static const ClockFacts clock_facts = { .hz = 1e9, .quantum_ticks = 20, .batch_cost_ticks = 40 };

static SampleBlock new, old;

static uint32_t mark = MARK_INTERRUPTED;

/* Turns of ten iterations, in ticks without what a batch costs; those marked have the mark on the new side. */
static void make_turns(const double *new_ticks, const double *old_ticks, const bool *marked, uint32_t n) {
        SampleBlock *blocks[] = { &new, &old };

        for (size_t side = 0; side < 2; side++) {
                const double *ticks = side == 0 ? new_ticks : old_ticks;

                *blocks[side] = (SampleBlock){ .n_samples = n, .n_threads = 1, .threads[0].ops_per_iteration = 1 };
                for (uint32_t i = 0; i < n; i++)
                        blocks[side]->samples[i] = (Sample){
                                .iterations = 10,
                                .ticks = 40 + ticks[i],
                                .flags = side == 0 && marked && marked[i] ? mark : 0,
                        };
        }
}

TEST(the_ratio_is_the_median_over_the_turns) {
        PairedRatio ratio;

        make_turns((double[]){ 1000, 2200, 9000 }, (double[]){ 1000, 2000, 3000 }, NULL, 3);
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(fabs(ratio.quiet - log(1.1)) < 1e-12);
}

TEST(operations_count_and_not_iterations) {
        PairedRatio ratio;

        make_turns((double[]){ 1000 }, (double[]){ 1000 }, NULL, 1);
        new.threads[0].ops_per_iteration = 4;
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(fabs(ratio.quiet - log(0.25)) < 1e-12);
}

TEST(disturbed_turns_count_where_they_are_more_than_a_few) {
        double new_ticks[30], old_ticks[30];
        bool marked[30];
        PairedRatio ratio;

        for (size_t i = 0; i < 30; i++) {
                old_ticks[i] = 1000;
                marked[i] = i >= 14;
                new_ticks[i] = marked[i] ? 3000 : 1000;
        }
        make_turns(new_ticks, old_ticks, marked, 28); /* half, then over half */
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(fabs(ratio.quiet - log(3) / 2) < 1e-12);
        make_turns(new_ticks, old_ticks, marked, 30);
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(fabs(ratio.quiet - log(3)) < 1e-12);
}

/* Beside a neighbour the sides are slowed unlike: 3 for a truth of 1. */
TEST(turns_that_shared_the_core_are_left_out_while_ten_did_not) {
        double new_ticks[100], old_ticks[100];
        bool marked[100];
        PairedRatio ratio;

        mark = MARK_BESIDE_SHARED;
        for (size_t i = 0; i < 100; i++) {
                old_ticks[i] = 1000;
                marked[i] = i >= 10;
                new_ticks[i] = marked[i] ? 3000 : 1000;
        }
        make_turns(new_ticks, old_ticks, marked, 100);
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(ratio.quiet == 0 && fabs(ratio.all - log(3)) < 1e-12);
        assert_int_equal(ratio.n_company, 90);
        assert_int_equal(ratio.n_not_quiet, 90);
        old.samples[0].flags = MARK_SHARED;
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(isnan(ratio.quiet) && fabs(ratio.all - log(3)) < 1e-12);
        mark = MARK_INTERRUPTED;
}

TEST(its_step_is_that_of_both_batches) {
        PairedRatio ratio;

        make_turns((double[]){ 1000, 1000 }, (double[]){ 500, 500 }, NULL, 2);
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), 0);
        assert_true(fabs(ratio.step - (0.02 + 0.04)) < 1e-12);
}

TEST(turns_that_took_no_time_are_none) {
        PairedRatio ratio;

        make_turns((double[]){ 0, 100 }, (double[]){ 100, -1 }, NULL, 2);
        assert_int_equal(paired_ratio_of(&new, &old, &clock_facts, &ratio), PAIRED_RATIO_E_NONE);
}

TEST(the_step_of_the_moves_is_that_of_the_module_that_moves_by_more) {
        static const struct {
                uint32_t offsets[4][2]; /* of each process: the new module's, the old one's */
                uint32_t step_bytes;
        } rows[] = {
                { { { 0, 48 }, { 16, 32 }, { 32, 16 }, { 48, 0 } }, 16 },
                { { { 0, 32 }, { 0, 32 }, { 32, 0 }, { 32, 0 } }, 32 },
                { { { 0, 32 }, { 16, 32 }, { 32, 0 }, { 48, 0 } }, 32 },
                { { { 0, 32 }, { 16, 0 }, { 32, 16 }, { 48, 48 } }, 16 },
                { { { 0, 0 }, { 16, 0 }, { 32, 0 }, { 48, 0 } }, 64 },
                { { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }, 64 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(paired_ratios_clear) PairedRatios ratios = {};

                for (size_t k = 0; k < 4; k++) {
                        SampleBlock blocks[2] = {
                                { .image_offset_bytes = rows[i].offsets[k][0] },
                                { .image_offset_bytes = rows[i].offsets[k][1] },
                        };

                        assert_int_equal(paired_ratios_add(&ratios, 0, blocks, 0), 0);
                }
                assert_int_equal(paired_ratios_step_bytes(&ratios), rows[i].step_bytes);
        }
}

/* Adds @log_ratio of a process at @place of @round. */
static void add_at(PairedRatios *ratios, double log_ratio, uint32_t place, uint32_t round) {
        const SampleBlock blocks[2] = { { .image_offset_bytes = 16 * place }, { .image_offset_bytes = 16 * place } };

        assert_int_equal(paired_ratios_add(ratios, log_ratio, blocks, round), 0);
}

TEST(a_round_is_the_mean_of_its_ratios_as_if_each_had_all_places_as_often) {
        static const double of_place[4] = { 0.1, -0.3, 0.2, 0 }, of_round[3] = { 0.01, -0.02, 0.04 };
        _cleanup_(paired_ratios_clear) PairedRatios ratios = {}, means = {};

        for (uint32_t round = 0; round < 3; round++)
                for (uint32_t place = 0; place < 4; place++)
                        add_at(&ratios, of_place[place] + of_round[round], place, round);
        assert_int_equal(paired_ratios_by_round(&ratios, &means), 0);
        assert_int_equal(means.n, 3);
        for (size_t i = 0; i < 3; i++) {
                assert_true(fabs(means.logs[i] - of_round[i]) < 1e-12);
                assert_int_equal(means.rounds[i], i);
        }
}

TEST(a_round_without_a_ratio_is_left_out) {
        _cleanup_(paired_ratios_clear) PairedRatios ratios = {}, means = {};

        add_at(&ratios, 0.5, 0, 0);
        add_at(&ratios, 0.25, 0, 3);
        add_at(&ratios, 0.75, 0, 3);
        assert_int_equal(paired_ratios_by_round(&ratios, &means), 0);
        assert_int_equal(means.n, 2);
        assert_true(fabs(means.logs[1] - 0.5) < 1e-12);
        assert_int_equal(means.rounds[1], 3);
        paired_ratios_clear(&means);
        assert_int_equal(paired_ratios_by_round(&(PairedRatios){}, &means), 0);
        assert_int_equal(means.n, 0);
}

/* Rounds that differ by half as much as processes: an interval over processes would hold in 64 %. */
TEST(the_interval_over_rounds_holds_where_rounds_differ) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 3000;
        int n_held = 0;

        for (int i = 0; i < n_trials; i++) {
                _cleanup_(paired_ratios_clear) PairedRatios ratios = {}, means = {};
                const SequencePoint at = { .margin = 0.005 };
                Comparison comparison;

                for (uint32_t round = 0; round < 5; round++) {
                        const double of_round = gsl_ran_gaussian(random, 0.002);

                        for (uint32_t k = 0; k < 20; k++)
                                add_at(&ratios, 0.1 + 0.03 * (k % 4) + of_round + gsl_ran_gaussian(random, 0.004),
                                                k % 4, round);
                }
                assert_int_equal(paired_ratios_by_round(&ratios, &means), 0);
                assert_int_equal(sequence_compare(means.logs, NULL, means.n, &at, &comparison), 0);
                n_held += comparison.low <= exp(0.145) && exp(0.145) <= comparison.high;
        }
        assert_true(fabs(n_held / (double)n_trials - 0.95) < share_tolerance(0.95, n_trials));
}
