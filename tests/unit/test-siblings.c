/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Siblings are told from strangers by how often the probes were slow, whatever rhythm the strangers have. */

#include "runner/time/siblings.h"

#include "ops/runner-plan.h"
#include "test.h"

#define TRIALS 3000u
#define FEW    50u /* of siblings, each of which goes through all orders */

static SiblingsPeriod periods[SIBLINGS_PERIODS];

static double from_seed(double from, double to) {
        return from + (to - from) * drand48();
}

/* Periods in an order that is drawn, in each of which a probe is slow for the share that @share says of it. */
static void read_periods(double (*share)(size_t place, bool spinning)) {
        bool spinning[SIBLINGS_PERIODS];

        siblings_draw_order(lrand48(), spinning);
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                periods[i] = (SiblingsPeriod){ spinning[i], share(i, spinning[i]) };
}

static double of_siblings(size_t place, bool spinning) {
        return spinning ? from_seed(0.9, 1) : from_seed(0, 0.2);
}

static double of_strangers_at_rest(size_t place, bool spinning) {
        return from_seed(0, 0.05);
}

static double of_a_stranger_who_never_rests(size_t place, bool spinning) {
        return from_seed(0.95, 1);
}

static double of_a_stranger_in_turns(size_t place, bool spinning) {
        return place % 2;
}

static double of_a_stranger_by_halves(size_t place, bool spinning) {
        return place < SIBLINGS_PERIODS / 2;
}

static double of_a_stranger_at_random(size_t place, bool spinning) {
        return drand48() < 0.5;
}

/* How often the two are taken for siblings. */
static double share_of_trials(double (*share)(size_t place, bool spinning), uint32_t n_trials) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < n_trials; i++) {
                read_periods(share);
                n += siblings_decide(periods, SIBLINGS_PERIODS);
        }
        return (double)n / n_trials;
}

static int draw_a_seed(void **state) {
        seed_random();
        return 0;
}

TEST(siblings_are_found) {
        assert_true(share_of_trials(of_siblings, FEW) == 1);
}

/* One in a thousand at most by the test's own rate: of 3000, 15 would be a chance of one in a million. */
TEST(a_stranger_is_hardly_ever_taken_for_one_whatever_his_rhythm) {
        static double (*const strangers[])(size_t place, bool spinning) = {
                of_strangers_at_rest,
                of_a_stranger_who_never_rests,
                of_a_stranger_in_turns,
                of_a_stranger_by_halves,
                of_a_stranger_at_random,
        };

        for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
                assert_true(share_of_trials(strangers[i], TRIALS) < 15.0 / TRIALS);
}

/* Eight periods of each kind: 12870 orders. */
TEST(the_p_value_is_that_of_all_orders) {
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                periods[i] = (SiblingsPeriod){ i < 8, i < 8 };
        assert_true(siblings_decide(periods, 16)); /* 1 of 12870 */
        periods[7].slow_share = 0;
        periods[8].slow_share = 1;
        assert_false(siblings_decide(periods, 16)); /* 65 of 12870, 0.005 */
        periods[7].slow_share = 1;
        assert_true(siblings_decide(periods, 16)); /* 9 slow ones: 9 of 12870, 0.0007 */
        periods[9].slow_share = 1;
        assert_false(siblings_decide(periods, 16)); /* 10: 45 of 12870 */
}

TEST(with_too_few_periods_nothing_is_decided) {
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                periods[i] = (SiblingsPeriod){ i % 2, i % 2 };
        assert_false(siblings_decide(periods, 12)); /* 1 of 924 */
        assert_true(siblings_decide(periods, 14));  /* 1 of 3432 */
        assert_false(siblings_decide(periods, 1));
        assert_false(siblings_decide(periods, 0));
}

TEST(a_difference_under_a_half_is_none_however_certain) {
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                periods[i] = (SiblingsPeriod){ i % 2, i % 2 ? 0.49 : 0 };
        assert_false(siblings_decide(periods, SIBLINGS_PERIODS));
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                periods[i].slow_share = i % 2 ? 0 : 1; /* quicker while the other spins */
        assert_false(siblings_decide(periods, SIBLINGS_PERIODS));
}

TEST(an_order_has_half_of_each_and_depends_on_the_seed_alone) {
        bool first[SIBLINGS_PERIODS], again[SIBLINGS_PERIODS];
        uint32_t n_other = 0;

        for (uint32_t seed = 0; seed < 1000; seed++) {
                uint32_t n = 0;

                siblings_draw_order(seed, first);
                siblings_draw_order(seed, again);
                assert_memory_equal(first, again, sizeof first);
                for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                        n += first[i];
                assert_int_equal(n, SIBLINGS_PERIODS / 2);
                siblings_draw_order(seed + 1, again);
                n_other += memcmp(first, again, sizeof first) != 0;
        }
        assert_true(n_other > 990);
}

/* Each place is as likely to be either, in each order. */
TEST(every_order_is_drawn_as_often) {
        uint32_t n[SIBLINGS_PERIODS] = {};
        bool spinning[SIBLINGS_PERIODS];

        for (uint32_t seed = 0; seed < TRIALS; seed++) {
                siblings_draw_order(seed, spinning);
                for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                        n[i] += spinning[i];
        }
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                assert_float_equal((double)n[i] / TRIALS, 0.5, 0.05);
}

/* On whatever machine this runs: what cannot be tried is not said to be tried. */
TEST(what_cannot_be_tried_is_left_open) {
        ClockFacts facts = { .hz = 2e9, .branch_cycles = 2090, .ports_cycles = 2140, .ruler_turns = 50 };
        RunnerPlan plan = { .n_suspects = 2 };
        uint32_t tested = 1, found = 1;

        plan.cpus[2] = plan.cpus[3] = -1;
        siblings_find(&plan, &facts, &tested, &found);
        assert_int_equal(tested | found, 0);
        facts.port_chains = 4;
        siblings_find(&plan, &facts, &tested, &found);
        assert_int_equal(tested | found, 0);
}

TEST_FILE(draw_a_seed, NULL)
