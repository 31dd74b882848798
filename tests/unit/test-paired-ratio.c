/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "front/samples/paired-ratio.h"
#include "test.h"

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

                        assert_int_equal(paired_ratios_add(&ratios, 0, blocks), 0);
                }
                assert_int_equal(paired_ratios_step_bytes(&ratios), rows[i].step_bytes);
        }
}
