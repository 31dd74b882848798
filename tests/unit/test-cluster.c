/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/cluster.h"

#include "test.h"

#define READINGS 2000u

static double readings[READINGS];

/* Of @share a neighbour made more, by a tenth or up to all of it. */
static void lay_readings(double alone, double share) {
        for (size_t i = 0; i < READINGS; i++)
                readings[i] = alone * (1 + 0.01 * drand48()) * (drand48() < share ? 1.1 + 0.9 * drand48() : 1);
}

TEST(the_lowest_cluster_is_of_those_that_nothing_disturbed_however_few) {
        seed_random();
        for (unsigned i = 0; i < 100; i++) {
                lay_readings(100, 0.97 * drand48());
                assert_float_equal(cluster_mean(cluster_lowest(readings, READINGS, 1.02, 0)), 100.5, 0.4);
                assert_float_equal(cluster_median(cluster_lowest(readings, READINGS, 1.02, 0)), 100.5, 0.5);
        }
}

/* Readings of 85 on a clock that advances by 26 are 78 and 104. */
TEST(a_step_of_the_clock_does_not_part_a_cluster_and_its_mean_lies_within_the_step) {
        for (size_t i = 0; i < READINGS; i++)
                readings[i] = 26 * (uint64_t)(85.0 / 26 + drand48());
        assert_float_equal(cluster_mean(cluster_lowest(readings, READINGS, 1.03, 26)), 85, 2);
        assert_true(cluster_mean(cluster_lowest(readings, READINGS, 1.03, 0)) == 78);
        assert_float_equal(cluster_mean(cluster_middle(readings, READINGS)), 80, 4);
}

TEST(half_of_all_readings_may_lie_to_both_sides_of_the_middle) {
        for (size_t i = 0; i < READINGS; i++)
                readings[i] = i % 10 == 0 ? 0 : i % 10 == 1 ? 900 : 50;
        assert_true(cluster_mean(cluster_middle(readings, READINGS)) == 50);
        assert_true(cluster_mean(cluster_middle(readings, 1)) == 0); /* the one reading, the lowest now */
}

TEST(of_no_readings_there_is_nothing) {
        assert_true(cluster_mean(cluster_lowest(readings, 0, 1.03, 0)) == 0);
        assert_true(cluster_median(cluster_lowest(readings, 0, 1.03, 0)) == 0);
        assert_true(cluster_mean(cluster_middle(readings, 0)) == 0);
}
