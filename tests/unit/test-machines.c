/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Numbers over machines: Student's sleepers and R's plants as R 4.2.2 has them, Grubbs' wires and his table, and error rates that
 * hold.
 */

#include "stats/machines.h"

#include "random.h"
#include "stats/interval.h"

#define MARGIN 0.005

static MachinesSpread spread;

static void assert_near(double value, double expected, double tolerance) {
        if (!(fabs(value - expected) <= tolerance))
                fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

/* Machines without an error of their own, around @means. */
static void machines_at(const double *means, size_t n, double error, IntervalLogMean *machines) {
        for (size_t i = 0; i < n; i++)
                machines[i] = (IntervalLogMean){ .mean = means[i], .error = error, .freedom = 9 };
}

TEST(the_interval_over_machines_is_students) {
        /* with(sleep, t.test(extra[group == 2] - extra[group == 1])) */
        static const double hours[] = { 1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4 };
        IntervalLogMean machines[10], mean;
        Interval interval;

        machines_at(hours, 10, NAN, machines);
        machines[3].freedom = 1; /* one with fewer processes counts as much */
        assert_int_equal(machines_mean(machines, 10, &mean), 0);
        assert_near(mean.freedom, 9, 0);
        interval = machines_interval(&mean, 0.95, 0);
        assert_near(log(interval.point), 1.58, 1e-12);
        assert_near(log(interval.low), 0.7001142, 1e-7);
        assert_near(log(interval.high), 2.4598858, 1e-7);
}

TEST(two_machines_stand_for_no_type) {
        const IntervalLogMean machines[] = { { 1, 0.01, 9 }, { 1.1, 0.01, 9 } };
        IntervalLogMean mean = { .mean = 42 };

        assert_int_equal(machines_mean(machines, 2, &mean), MACHINES_E_TOO_FEW);
        assert_int_equal(machines_mean(machines, 1, &mean), MACHINES_E_TOO_FEW);
        assert_near(mean.mean, 42, 0);
}

TEST(the_error_of_these_machines_is_welchs) {
        /* t.test(extra ~ group, sleep): t = -1.8608, df = 17.776, mean in group 1 2: 0.75 2.33 */
        const IntervalLogMean machines[] = { { 0.75, 1.789010 / sqrt(10), 9 }, { 2.33, 2.002249 / sqrt(10), 9 } };
        IntervalLogMean mean = machines_mean_of_these(machines, 2);

        assert_near(mean.mean, 1.54, 1e-12);
        assert_near(mean.error, 1.58 / 1.8608 / 2, 1e-5);
        assert_near(mean.freedom, 17.776, 1e-3);
}

TEST(one_machine_has_the_interval_of_its_processes) {
        const IntervalLogMean machine = { log(50), 0.01, 4 };
        IntervalLogMean mean = machines_mean_of_these(&machine, 1);
        Interval interval = machines_interval(&mean, 0.95, 0);

        assert_near(interval.point, 50, 1e-9);
        assert_near(log(interval.high / interval.point), 0.01 * 2.776445, 1e-8); /* t of 4 degrees, by any table */
        assert_near(log(interval.point / interval.low), 0.01 * 2.776445, 1e-8);
}

TEST(an_interval_tells_the_logs_behind_it) {
        const IntervalLogMean machine = { log(50), 0.01, 4 };
        Interval interval = machines_interval(&machine, 0.95, 0);
        IntervalLogMean back = interval_log_mean(&interval, 0.95, 4);

        assert_near(back.mean, machine.mean, 1e-12);
        assert_near(back.error, machine.error, 1e-12);
        back = interval_log_mean(&(Interval){ 50, NAN, NAN }, 0.95, 0);
        assert_near(back.mean, machine.mean, 1e-12);
        assert_true(isnan(back.error));
        back = interval_log_mean(&(Interval){ 1, -1, 3 }, 0.95, 4);
        assert_true(back.mean == 0 && isnan(back.error));
        assert_true(isnan(interval_log_mean(&(Interval){ 0, -1, 1 }, 0.95, 4).mean));
}

TEST(an_unknown_error_gives_a_point_and_no_interval) {
        const IntervalLogMean machines[] = { { 1, 0.01, 9 }, { 1.2, NAN, 0 } };
        IntervalLogMean mean = machines_mean_of_these(machines, 2);
        Interval interval = machines_interval(&mean, 0.95, 0.5);

        assert_near(interval.point, exp(1.1), 1e-12);
        assert_true(isnan(interval.low) && isnan(interval.high));
        assert_int_equal(machines_spread(machines, 2, MARGIN, &spread), MACHINES_E_UNKNOWN);
}

TEST(no_half_is_under_a_step_of_the_clock) {
        const IntervalLogMean equal[] = { { 1, 0, 9 }, { 1, 0, 9 }, { 1, 0, 9 } };
        Interval interval;
        IntervalLogMean mean;

        assert_int_equal(machines_mean(equal, 3, &mean), 0);
        interval = machines_interval(&mean, 0.95, 0.001);
        assert_near(log(interval.low), 0.999, 1e-12);
        assert_near(log(interval.high), 1.001, 1e-12);
}

TEST(the_spread_is_that_of_the_analysis_of_variance) {
        /* summary(aov(weight ~ group, PlantGrowth)): squares 3.766 of 2 degrees, 10.492 of 27; F 4.846. tapply(..., sd). */
        static const double sd[] = { 0.5830914, 0.7936757, 0.4425733 }, means[] = { 5.032, 4.661, 5.526 };
        double squares = 0, fourths = 0, freedom;
        IntervalLogMean machines[3];

        for (size_t i = 0; i < 3; i++) {
                machines[i] = (IntervalLogMean){ means[i], sd[i] / sqrt(10), 9 };
                squares += sd[i] * sd[i];
                fourths += pow(sd[i], 4) / 9;
        }
        freedom = squares * squares / fourths;
        assert_int_equal(machines_spread(machines, 3, MARGIN, &spread), 0);
        assert_near(spread.between, sqrt((3.76634 / 2 - 10.49209 / 27) / 10), 1e-5);
        assert_near(spread.p_value, pow(1 + 2 * 4.846088 / freedom, -freedom / 2), 1e-6); /* F's tail, of 2 degrees */
        assert_false(spread.differ);                                                      /* 2 % */
        assert_true(spread.odd == MACHINES_NONE);
}

TEST(equally_noisy_machines_have_the_usual_f) {
        /* three means 1 apart of 10 values each, whose variance is 10: F = 1 / 1, of 2 and 27 degrees */
        static const double means[] = { 1, 2, 3 };
        IntervalLogMean machines[3];

        machines_at(means, 3, 1, machines);
        assert_int_equal(machines_spread(machines, 3, MARGIN, &spread), 0);
        assert_near(spread.between, 0, 0);
        assert_near(spread.p_value, pow(1 + 2.0 / 27, -13.5), 1e-12);
}

TEST(the_spread_is_never_negative) {
        static const double means[] = { 1, 1.001, 0.999 };
        IntervalLogMean machines[3];

        machines_at(means, 3, 0.01, machines);
        assert_int_equal(machines_spread(machines, 3, 0, &spread), 0);
        assert_near(spread.between, 0, 0);
        assert_true(spread.p_value > 0.9);
        assert_int_equal(machines_spread(machines, 1, 0, &spread), MACHINES_E_TOO_FEW);
}

TEST(machines_without_any_noise_differ_or_do_not) {
        static const double equal[] = { 1, 1, 1, 1 }, apart[] = { 1, 1, 1, 1.1 };
        IntervalLogMean machines[4];

        machines_at(equal, 4, 0, machines);
        assert_int_equal(machines_spread(machines, 4, MARGIN, &spread), 0);
        assert_near(spread.p_value, 1, 0);
        assert_false(spread.differ);
        machines_at(apart, 4, 0, machines);
        assert_int_equal(machines_spread(machines, 4, MARGIN, &spread), 0);
        assert_near(spread.p_value, 0, 0);
        assert_near(spread.between, 0.05, 1e-12);
        assert_int_equal(spread.odd, 3);
}

TEST(a_spread_within_the_margin_is_not_named) {
        static const double means[] = { 1, 1.001, 1.002, 1.003, 1.004 };
        IntervalLogMean machines[5];

        machines_at(means, 5, 1e-5, machines);
        assert_int_equal(machines_spread(machines, 5, MARGIN, &spread), 0);
        assert_true(spread.p_value < 1e-6 && spread.between > 0.0015);
        assert_false(spread.differ);
        assert_int_equal(machines_spread(machines, 5, 0.001, &spread), 0);
        assert_true(spread.differ);
        assert_true(spread.odd == MACHINES_NONE);
}

TEST(the_farthest_is_grubbs) {
        /* Strength of ten copper wires: T = 2.39, beyond the 2.18 of 5 % and within the 2.41 of 1 %, one-sided. */
        static const double pounds[] = { 568, 570, 570, 570, 572, 572, 572, 578, 584, 596 };
        IntervalLogMean machines[10];
        double p;

        machines_at(pounds, 10, 0, machines);
        assert_int_equal(machines_farthest(machines, 10, &p), 9);
        assert_true(p > 2 * 0.01 && p < 2 * 0.05);
}

TEST(the_level_is_that_of_grubbs_table) {
        /* The critical values of the two-sided test at 5 %, for as many values. */
        static const struct {
                size_t n;
                double critical;
        } rows[] = { { 4, 1.481 }, { 5, 1.715 }, { 6, 1.887 }, { 8, 2.126 }, { 10, 2.290 }, { 20, 2.709 } };

        for (size_t row = 0; row < N_ELEMENTS(rows); row++) {
                size_t n = rows[row].n;
                double g2 = pow(rows[row].critical, 2), others = 0, distance, p;
                IntervalLogMean machines[20] = {};

                /* the others lie evenly around 0; the last one where its distance from the mean of all is critical */
                for (size_t i = 0; i < n - 1; i++) {
                        machines[i].mean = i - (n - 2) / 2.0;
                        others += pow(machines[i].mean, 2);
                }
                distance = sqrt(g2 * others / (n - 1) / (pow((n - 1.0) / n, 2) - g2 / n));
                machines[n - 1].mean = distance;
                assert_int_equal(machines_farthest(machines, n, &p), n - 1);
                assert_near(p, 0.05, 0.001); /* he gives four digits */
        }
}

TEST(two_machines_have_no_odd_one) {
        const IntervalLogMean machines[] = { { 1, 0.001, 9 }, { 2, 0.001, 9 } };
        double p = 0;

        assert_true(machines_farthest(machines, 2, &p) == MACHINES_NONE);
        assert_near(p, 1, 0);
        assert_int_equal(machines_spread(machines, 2, MARGIN, &spread), 0);
        assert_true(spread.differ);
        assert_true(spread.odd == MACHINES_NONE);
}

TEST(a_noisy_machine_is_not_odd_for_its_noise) {
        IntervalLogMean machines[5] = { { 1, 1e-4, 9 }, { 1.0003, 1e-4, 9 }, { 0.9998, 1e-4, 9 }, { 1.0001, 1e-4, 9 },
                { 1.05, 0.001, 9 } };

        assert_int_equal(machines_spread(machines, 5, MARGIN, &spread), 0);
        assert_int_equal(spread.odd, 4);
        machines[4].error = 0.05 / 3; /* t of 9 degrees: p 0.015, while F has 0.003 */
        assert_int_equal(machines_spread(machines, 5, MARGIN, &spread), 0);
        assert_true(spread.differ);
        assert_true(spread.odd == MACHINES_NONE);
}

TEST(as_many_machines_are_needed_as_stein_says) {
        /* sd of 5 machines 2 %, half of 1 %: (2.776 * 2)^2 = 30.8 */
        IntervalLogMean mean = { .mean = 0, .error = 0.02 / sqrt(5), .freedom = 4 };

        assert_int_equal(machines_needed(&mean, 5, expm1(0.01), 0.95), 31);
        assert_int_equal(machines_needed(&mean, 5, 0.5, 0.95), 5);
        mean.error = 0;
        assert_int_equal(machines_needed(&mean, 5, 0.01, 0.95), 5);
}

/* Draws machines whose spread is @between, each with an error of @error and ten processes. */
static void draw(gsl_rng *random, double between, double error, IntervalLogMean *machines, size_t n) {
        for (size_t i = 0; i < n; i++)
                machines[i] = (IntervalLogMean){
                        .mean = gsl_ran_gaussian(random, between) + gsl_ran_gaussian(random, error),
                        .error = error * sqrt(gsl_ran_chisq(random, 9) / 9),
                        .freedom = 9,
                };
}

TEST(machines_that_are_alike_are_said_to_differ_as_often_as_the_level) {
        enum {
                N_DRAWS = 20000
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int differ = 0;

        for (int i = 0; i < N_DRAWS; i++) {
                IntervalLogMean machines[5];

                draw(random, 0, 0.003, machines, 5);
                assert_int_equal(machines_spread(machines, 5, 0, &spread), 0);
                differ += spread.differ;
        }
        assert_near((double)differ / N_DRAWS, MACHINES_P, share_tolerance(MACHINES_P, N_DRAWS));
}

TEST(a_machine_is_called_odd_for_nothing_at_most_as_often_as_the_level) {
        static const size_t numbers[] = { 3, 5, 10 };
        enum {
                N_DRAWS = 20000
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t row = 0; row < N_ELEMENTS(numbers); row++) {
                int odd = 0;

                for (int i = 0; i < N_DRAWS; i++) {
                        IntervalLogMean machines[10];

                        draw(random, 0.03, 0.003, machines, numbers[row]);
                        assert_int_equal(machines_spread(machines, numbers[row], MARGIN, &spread), 0);
                        odd += spread.odd != MACHINES_NONE;
                }
                assert_true((double)odd / N_DRAWS < MACHINES_P + share_tolerance(MACHINES_P, N_DRAWS));
                assert_true(odd > 0);
        }
}
