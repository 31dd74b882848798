/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "arena.h"
#include "front/samples/quantity.h"

/* A process of @n_good undisturbed samples of 1.0 and @n_bad interrupted ones of 9.0. */
static double median_of_process(Quantity *quantity, size_t n_good, size_t n_bad) {
        QuantityProcess process;

        assert_int_equal(quantity_reserve(quantity, n_good + n_bad, 0), 0);
        for (size_t i = 0; i < n_good; i++)
                quantity_add(quantity, 1.0, SAMPLE_CLASS_UNDISTURBED);
        for (size_t i = 0; i < n_bad; i++)
                quantity_add(quantity, 9.0, SAMPLE_CLASS_QUIET);
        assert_int_equal(quantity_end_process(quantity, &(QuantityConditions){}, &process), 0);
        return process.quiet;
}

/* An interrupt hits long samples more often than short ones: leaving out more than a few selects by time. */
TEST(the_headline_is_undisturbed_where_nearly_all_are) {
        static const struct {
                size_t n_good, n_bad;
                double median;
        } rows[] = { { 50, 0, 1 }, { 95, 5, 1 }, { 26, 24, 1 }, { 25, 25, 5 }, { 24, 26, 9 }, { 10, 0, 1 }, { 0, 5, 9 },
                { 3, 0, 1 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Quantity quantity = {};

                assert_true(median_of_process(&quantity, rows[i].n_good, rows[i].n_bad) == rows[i].median);
                quantity_deinit(&quantity);
        }
}

TEST(each_process_has_its_own_median_and_both_summaries_hold_all) {
        Benchd__Quantity *message = NULL;
        Quantity quantity = {};
        QuantityFloor floor;

        assert_true(median_of_process(&quantity, 40, 10) == 1);
        assert_true(median_of_process(&quantity, 10, 40) == 9);
        assert_true(median_of_process(&quantity, 30, 20) == 1);
        assert_int_equal(quantity.headline.n, 50);
        assert_true(quantity_is_known(&quantity));
        assert_int_equal(quantity_report(&quantity, 0, arena, &message, &floor), 0);
        assert_false(floor.below || floor.within_loop);
        assert_null(message->net);
        assert_null(message->loop);
        assert_int_equal(message->raw->samples, 150);
        assert_int_equal(message->undisturbed->samples, 80);
        assert_true(fabs(message->point - cbrt(9)) < 1e-12);
        quantity_deinit(&quantity);
}

static double step; /* of the clock */

/* Three processes whose median is @raw and whose empty loop takes @loops. */
static QuantityFloor floor_of(double raw, const double *loops, Benchd__Interval *ret_net) {
        Benchd__Quantity *message = NULL;
        Quantity quantity = {};
        QuantityFloor floor;
        QuantityProcess process;

        for (size_t i = 0; i < 3; i++) {
                assert_int_equal(quantity_reserve(&quantity, 1, 3), 0);
                quantity_add(&quantity, raw, SAMPLE_CLASS_UNDISTURBED);
                quantity_add_loop(&quantity, 1000, SAMPLE_CLASS_UNDISTURBED);
                quantity_add_loop(&quantity, loops[i], SAMPLE_CLASS_QUIET);
                quantity_add_loop(&quantity, -1000, SAMPLE_CLASS_UNDISTURBED);
                quantity_add_loop(&quantity, 5000, SAMPLE_CLASS_SHARED);
                assert_int_equal(quantity_end_process(&quantity, &(QuantityConditions){}, &process), 0);
                assert_true(process.quiet == raw && process.all == raw);
        }
        assert_int_equal(quantity_report(&quantity, step, arena, &message, &floor), 0);
        assert_non_null(message->net);
        assert_int_equal(message->loop->samples, 12);
        assert_true(fabs(message->low - (raw - step)) < 1e-12 && fabs(message->high - (raw + step)) < 1e-12);
        *ret_net = *message->net;
        quantity_deinit(&quantity);
        return floor;
}

TEST(net_is_the_mean_of_what_the_loops_leave_and_may_be_negative) {
        /* of 2, 3 and 4: 3, t of 2 degrees 4.302653 over the root of 3 */
        const double half = 4.302652729911275 / sqrt(3);
        Benchd__Interval net;

        assert_false(floor_of(6, (double[]){ 4, 3, 2 }, &net).below);
        assert_true(fabs(net.point - 3) < 1e-12);
        assert_true(fabs(net.low - (3 - half)) < 1e-9 && fabs(net.high - (3 + half)) < 1e-9);
        assert_true(floor_of(1, (double[]){ 3.01, 3, 2.99 }, &net).below);
        assert_true(fabs(net.point + 2) < 1e-12);
        assert_true(net.high < 0);
}

TEST(net_whose_interval_holds_zero_is_below_the_noise_floor) {
        Benchd__Interval net;

        assert_true(floor_of(3, (double[]){ 4, 3, 1 }, &net).below);
        assert_true(net.low < 0 && net.high > 0);
        assert_false(floor_of(3.1, (double[]){ 3.01, 3, 2.99 }, &net).below);
        assert_true(net.low > 0);
}

/* All medians are the same multiple of a step, and so is the loop's: net is off by up to two. */
TEST(no_interval_is_narrower_than_a_step_of_the_clock) {
        Benchd__Interval net;

        step = 0.5;
        assert_false(floor_of(6, (double[]){ 3, 3, 3 }, &net).below);
        assert_true(net.low == 2 && net.high == 4);
        assert_true(floor_of(4, (double[]){ 3, 3, 3 }, &net).below);
        assert_true(net.low == 0);
        step = 0;
}

TEST(what_is_no_cycle_longer_than_the_loop_is_within_its_cost) {
        const double loops[] = { 1, 1, 1 };
        Benchd__Interval net;

        assert_true(floor_of(1, loops, &net).within_loop);
        assert_true(floor_of(1.4, loops, &net).within_loop);
        assert_false(floor_of(2, loops, &net).within_loop);
        assert_false(floor_of(3, loops, &net).within_loop);
}

/* Adds a process of so many samples at the time alone, and while shared at one and a half times that. */
static QuantityProcess add_shared(Quantity *quantity, size_t n_quiet, size_t n_shared, double alone) {
        QuantityProcess process;

        assert_int_equal(quantity_reserve(quantity, n_quiet + n_shared, 0), 0);
        for (size_t i = 0; i < n_quiet; i++)
                quantity_add(quantity, alone, SAMPLE_CLASS_UNDISTURBED);
        for (size_t i = 0; i < n_shared; i++)
                quantity_add(quantity, 1.5 * alone, i % 2 ? SAMPLE_CLASS_SHARED : SAMPLE_CLASS_TAKEN);
        assert_int_equal(quantity_end_process(quantity, &(QuantityConditions){}, &process), 0);
        return process;
}

TEST(a_process_gives_a_median_by_ten_quiet_samples_or_half) {
        static const struct {
                size_t n_quiet, n_shared;
                bool gives;
        } rows[] = { { 10, 4000, true }, { 9, 10, false }, { 9, 9, true }, { 1, 1, true }, { 1, 2, false },
                { 2, 3, false }, { 2, 2, true }, { 0, 0, false }, { 0, 5, false } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Quantity quantity = {};
                QuantityProcess process = add_shared(&quantity, rows[i].n_quiet, rows[i].n_shared, 8);

                assert_int_equal(isfinite(process.quiet), rows[i].gives);
                assert_true(!rows[i].gives || process.quiet == 8);
                assert_true(rows[i].n_shared <= rows[i].n_quiet || process.all == 12);
                quantity_deinit(&quantity);
        }
}

/* Never a mixture: one process that had the core alone outweighs all that had not. */
TEST(the_headline_is_the_time_alone_of_those_that_have_it_else_the_time_while_shared) {
        static const struct {
                size_t n_alone, n_processes;
        } rows[] = { { 10, 10 }, { 3, 10 }, { 2, 10 }, { 1, 10 }, { 0, 10 }, { 2, 2 }, { 1, 2 }, { 1, 1 }, { 0, 1 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const bool alone = rows[i].n_alone > 0;
                const size_t n_of = alone ? rows[i].n_alone : rows[i].n_processes;
                Benchd__Quantity *message = NULL;
                Quantity quantity = {};
                QuantityFloor floor;
                double medians[10];

                for (size_t j = 0; j < rows[i].n_processes; j++)
                        add_shared(&quantity, j < rows[i].n_alone ? 20 : 5, 30, 8);
                assert_int_equal(quantity_measurand(&quantity), alone ? MEASURAND_ALONE : MEASURAND_SHARED);
                assert_true(quantity_is_known(&quantity));
                assert_int_equal(quantity_medians(&quantity, medians, NULL), n_of);
                assert_int_equal(quantity_report(&quantity, 0, arena, &message, &floor), 0);
                assert_true(fabs(message->point - (alone ? 8 : 12)) < 1e-12);
                assert_int_equal(message->has_low, n_of >= 3);
                assert_true(fabs(message->shared->point - 12) < 1e-12);
                assert_int_equal(message->raw->samples, 30 * rows[i].n_processes + 20 * rows[i].n_alone +
                                                                        5 * (rows[i].n_processes - rows[i].n_alone));
                assert_int_equal(message->while_shared->samples, 15 * rows[i].n_processes);
                assert_true(message->while_shared->median == 12);
                quantity_deinit(&quantity);
        }
}

/* Preempted samples alone: no neighbour, so neither of the two. */
TEST(what_other_work_took_is_of_all_samples) {
        Quantity quantity = {};
        QuantityProcess process;

        for (size_t j = 0; j < 5; j++) {
                assert_int_equal(quantity_reserve(&quantity, 30, 0), 0);
                for (size_t i = 0; i < 30; i++)
                        quantity_add(&quantity, 8, i == 0 ? SAMPLE_CLASS_SHARED : SAMPLE_CLASS_TAKEN);
                assert_int_equal(quantity_end_process(&quantity, &(QuantityConditions){}, &process), 0);
        }
        assert_int_equal(quantity_measurand(&quantity), MEASURAND_ALL);
        quantity_deinit(&quantity);
}

static void add_at_place(Quantity *quantity, uint32_t place, double contamination, double median, double half) {
        const QuantityConditions conditions = { .place = place, .contamination = contamination };
        QuantityProcess process;

        assert_int_equal(quantity_reserve(quantity, 101, 0), 0);
        for (int i = -50; i <= 50; i++)
                quantity_add(quantity, median * exp(half * i / 50), SAMPLE_CLASS_UNDISTURBED);
        assert_int_equal(quantity_end_process(quantity, &conditions, &process), 0);
}

static Benchd__Quantity report_of(Quantity *quantity) {
        Benchd__Quantity *message = NULL, copy;
        QuantityFloor floor;

        assert_int_equal(quantity_report(quantity, 0, arena, &message, &floor), 0);
        copy = *message;
        quantity_deinit(quantity);
        return copy;
}

/* Three processes at one place and nine at the others: the place weighs a quarter, and its distance is no doubt. */
TEST(the_places_are_conditions_whose_means_weigh_the_same) {
        static const double of_place[] = { 1, 1, 2, 4 };
        Benchd__Quantity told;
        Quantity quantity = {};

        for (uint32_t i = 0; i < 12; i++) {
                const uint32_t place = i < 4 ? i : i % 3;

                add_at_place(&quantity, place, 0, of_place[place] * exp(i % 2 ? 0.001 : -0.001), 0.01);
        }
        told = report_of(&quantity);
        assert_true(fabs(log(told.point) - log(8) / 4) < 0.001);
        assert_true(log(told.high / told.low) < 0.005);
}

/* A tenth of the samples may not have been alone: those are the slowest, so the median is at most where 45 % lie below. */
TEST(hidden_visits_widen_the_interval_downwards_by_what_they_may_have_moved) {
        Benchd__Quantity told[2];
        Quantity quantity = {};

        for (unsigned i = 0; i < 2; i++) {
                for (uint32_t j = 0; j < 12; j++)
                        add_at_place(&quantity, j % 4, i * 0.1, 8 * exp(j % 3 * 0.001), 0.1);
                assert_true(fabs(quantity_contaminated(&quantity) - i * 0.01) < 1e-9);
                told[i] = report_of(&quantity);
        }
        assert_true(told[1].point == told[0].point && told[1].high == told[0].high);
        assert_true(fabs(log(told[0].low / told[1].low) - 0.01) < 1e-9);
}

/* By what is left: of 12 processes that rise steadily the interval by t alone is too narrow. */
TEST(an_interval_of_medians_that_follow_each_other_is_widened) {
        static const double order[2][12] = { { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
                { 0, 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6 } };
        double width[2];

        for (size_t i = 0; i < 2; i++) {
                Benchd__Quantity *message = NULL;
                Quantity quantity = {};
                QuantityFloor floor;

                for (size_t j = 0; j < 12; j++)
                        add_shared(&quantity, 20, 0, 100 + order[i][j]);
                assert_int_equal(quantity_report(&quantity, 0, arena, &message, &floor), 0);
                width[i] = log(message->high / message->low);
                assert_true(fabs(sqrt(message->high * message->low) / message->point - 1) < 1e-12);
                quantity_deinit(&quantity);
        }
        assert_true(width[0] > 2 * width[1]);
}

/* Times that spread by half to either side, beside a neighbour that costs a fifth: a tenth of that, and not the tenth of the spread. */
TEST(hidden_visits_move_wide_times_by_no_more_than_they_cost) {
        const QuantityConditions conditions = { .contamination = 0.1 };
        Quantity quantity = {};
        QuantityProcess process;

        assert_int_equal(quantity_reserve(&quantity, 111, 0), 0);
        for (int i = -50; i <= 50; i++)
                quantity_add(&quantity, 8 * exp(0.5 * i / 50), SAMPLE_CLASS_UNDISTURBED);
        for (int i = 0; i < 10; i++)
                quantity_add(&quantity, 8 * 1.2, SAMPLE_CLASS_SHARED);
        assert_int_equal(quantity_end_process(&quantity, &conditions, &process), 0);
        assert_true(fabs(process.contaminated - 0.1 * log(1.2)) < 1e-9);
        quantity_deinit(&quantity);
}

TEST(a_process_without_samples_makes_it_unknown) {
        Quantity quantity = {};

        assert_false(quantity_is_known(&quantity));
        median_of_process(&quantity, 10, 0);
        assert_true(quantity_is_known(&quantity));
        assert_true(isnan(median_of_process(&quantity, 0, 0)));
        assert_false(quantity_is_known(&quantity));
        quantity_deinit(&quantity);
}
