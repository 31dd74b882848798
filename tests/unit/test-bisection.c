/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The commit that changed a time: searches whose truth is known are right as often as they claim, and what cannot be measured is neither
 * chosen nor held against a commit.
 */

#include "stats/bisection.h"

#include <gsl/gsl_statistics_double.h>

#include "random.h"
#include "stats/bisection-choice.h"
#include "util/cleanup.h"

static const BisectionCosts costs = { .build_s = 10, .look_s = 1, .process_s = 1 };

static double sum_of_masses(const Bisection *bisection) {
        double sum = bisection->mass_none;

        for (size_t i = 1; i <= bisection->n; i++)
                sum += bisection->commits[i].mass;
        return sum;
}

static void assert_near(double value, double expected, double tolerance) {
        if (!(fabs(value - expected) <= tolerance))
                fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

/* A range whose commits from @culprit on take @change longer, by measurements of 8 processes of 0.1 %. */
static void measure(Bisection *bisection, size_t commit, size_t culprit, double change) {
        bisection_add(bisection, commit, 8, commit >= culprit ? change : 0, 0.001 / sqrt(8), 7);
}

static void range_of(Bisection *bisection, size_t n, size_t culprit, double change) {
        assert_int_equal(bisection_init(bisection, n), 0);
        measure(bisection, n, culprit, change);
        assert_int_equal(bisection_update(bisection), 0);
}

TEST(two_looks_at_a_build_are_one_with_all_processes) {
        static const double values[] = { 0.01, 0.013, 0.008, 0.021, 0.011, 0.009, 0.017 };
        _cleanup_(bisection_clear) Bisection bisection = {};
        double squares = 0, mean = 0;

        assert_int_equal(bisection_init(&bisection, 1), 0);
        for (size_t i = 0; i < 7; i++)
                mean += values[i] / 7;
        for (size_t i = 0; i < 7; i++)
                squares += (values[i] - mean) * (values[i] - mean);
        /* means and errors of the first three and the last four, by R */
        bisection_add(&bisection, 1, 3, 0.0103333333333333333, 0.00145296631451356, 2);
        bisection_add(&bisection, 1, 4, 0.0145, 0.00275378527364305, 3);
        assert_int_equal(bisection.commits[1].n_processes, 7);
        assert_near(bisection.commits[1].mean, mean, 1e-12);
        assert_near(bisection.commits[1].squares, squares, 1e-12);
        assert_near(bisection.commits[1].freedom, 6, 0);
}

TEST(a_plain_change_is_halved_down_to_its_commit) {
        for (size_t culprit = 1; culprit <= 64; culprit++) {
                _cleanup_(bisection_clear) Bisection bisection = {};
                BisectionBlock block;
                BisectionChange change;
                size_t builds = 0;

                range_of(&bisection, 64, culprit, 0.05);
                for (;;) {
                        BisectionChoice choice;
                        const int r = bisection_choose(&bisection, &costs, &choice);

                        if (r == BISECTION_CHOICE_E_FOUND)
                                break;
                        assert_int_equal(r, 0);
                        assert_true(choice.commit > 0 && choice.commit < 64);
                        assert_true(choice.gain > 0 && choice.gain <= 1);
                        builds += bisection.commits[choice.commit].state == BISECTION_UNBUILT;
                        measure(&bisection, choice.commit, culprit, 0.05);
                        assert_int_equal(bisection_update(&bisection), 0);
                        assert_near(sum_of_masses(&bisection), 1, 1e-9);
                }
                assert_true(bisection_best(&bisection, &block, 1) >= 1);
                assert_int_equal(block.first, culprit);
                assert_int_equal(block.last, culprit);
                assert_true(builds <= 7);
                change = bisection_change(&bisection, &block);
                assert_true(fabs(change.mean - 0.05) < change.half && change.half < 0.02);
        }
}

TEST(a_range_of_one_commit_needs_no_build) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        BisectionChoice choice;

        range_of(&bisection, 1, 1, 0.05);
        assert_int_equal(bisection_choose(&bisection, &costs, &choice), BISECTION_CHOICE_E_FOUND);
        assert_true(bisection.commits[1].mass > BISECTION_ENOUGH);
}

TEST(commits_that_do_not_build_are_not_told_from_the_next_that_does) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        BisectionBlock block, blocks[2];
        BisectionChoice choice;
        size_t tries = 0;
        int r;

        range_of(&bisection, 32, 12, 0.05);
        while ((r = bisection_choose(&bisection, &costs, &choice)) == 0) {
                assert_true(bisection.commits[choice.commit].state != BISECTION_BROKEN);
                tries += bisection.commits[choice.commit].state == BISECTION_UNBUILT;
                if (choice.commit >= 10 && choice.commit <= 17)
                        bisection_set_broken(&bisection, choice.commit);
                else
                        measure(&bisection, choice.commit, 12, 0.05);
                assert_int_equal(bisection_update(&bisection), 0);
        }
        assert_int_equal(r, BISECTION_CHOICE_E_FOUND);
        assert_int_equal(bisection_best(&bisection, &block, 1), bisection_best(&bisection, blocks, 2));
        assert_int_equal(block.first, 10);
        assert_int_equal(block.last, 18);
        assert_int_equal(bisection_block_of(&bisection, 10).last, 18);
        assert_int_equal(bisection_block_of(&bisection, 18).first, 10);
        assert_true(tries <= 8 + 8);
}

TEST(nothing_but_broken_commits_leaves_all_of_them) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        BisectionChoice choice;
        BisectionBlock block;

        range_of(&bisection, 5, 5, 0.05);
        for (size_t i = 1; i < 5; i++)
                bisection_set_broken(&bisection, i);
        assert_int_equal(bisection_update(&bisection), 0);
        assert_int_equal(bisection_choose(&bisection, &costs, &choice), BISECTION_CHOICE_E_FOUND);
        assert_int_equal(bisection_best(&bisection, &block, 1), 1);
        assert_int_equal(block.first, 1);
        assert_int_equal(block.last, 5);
}

TEST(builds_of_the_same_bytes_have_no_change_between_them) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        BisectionChoice choice;

        range_of(&bisection, 16, 4, 0.05);
        bisection_set_twin(&bisection, 3, 0);
        bisection_set_twin(&bisection, 5, 16);
        assert_int_equal(bisection_update(&bisection), 0);
        for (size_t i = 1; i <= 16; i++)
                assert_true((bisection.commits[i].mass > 0) == (i == 4 || i == 5));
        assert_int_equal(bisection_choose(&bisection, &costs, &choice), 0);
        assert_int_equal(choice.commit, 4);

        bisection_set_twin(&bisection, 16, 0); /* a contradiction, which leaves nothing */
        assert_int_equal(bisection_update(&bisection), 0);
        assert_near(bisection.mass_none, 1, 0);
        assert_int_equal(bisection_choose(&bisection, &costs, &choice), BISECTION_CHOICE_E_NONE);
}

TEST(the_middle_is_built_unless_a_build_is_dear_and_another_is_there) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        BisectionChoice choice;

        range_of(&bisection, 100, 70, 0.05);
        assert_int_equal(bisection_choose(&bisection, &costs, &choice), 0);
        assert_int_equal(choice.commit, 50);
        bisection.commits[40].state = BISECTION_BUILT;
        assert_int_equal(bisection_choose(&bisection, &(BisectionCosts){ 0.001, 1, 1 }, &choice), 0);
        assert_int_equal(choice.commit, 50);
        assert_int_equal(bisection_choose(&bisection, &(BisectionCosts){ 100, 1, 1 }, &choice), 0);
        assert_int_equal(choice.commit, 40);
        assert_true(choice.n_processes >= 4);
        bisection.commits[40].state = BISECTION_UNBUILT;
        bisection_set_broken(&bisection, 50);
        assert_int_equal(bisection_choose(&bisection, &costs, &choice), 0);
        assert_true(choice.commit < 49 || choice.commit > 51); /* neighbours may be broken for the same reason */
}

/* A search through a range of @n with noise, whose answer is given. */
static int search(gsl_rng *random, size_t n, size_t culprit, double change, double layout, double deviation,
                BisectionBlock *ret_block) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        double levels[128];
        BisectionChoice choice = { .commit = n, .n_processes = 24 };
        int r = 0;

        assert_int_equal(bisection_init(&bisection, n), 0);
        for (size_t i = 0; i <= n; i++)
                levels[i] = (i >= culprit ? change : 0) + gsl_ran_gaussian(random, layout);
        for (size_t processes = 0; r == 0 && processes < 600; processes += choice.n_processes) {
                double values[32] = {};

                for (size_t i = 0; i < choice.n_processes; i++)
                        values[i] = levels[choice.commit] - levels[0] + gsl_ran_gaussian(random, deviation);
                bisection_add(&bisection, choice.commit, choice.n_processes,
                                gsl_stats_mean(values, 1, choice.n_processes),
                                gsl_stats_sd(values, 1, choice.n_processes) / sqrt(choice.n_processes),
                                choice.n_processes - 1);
                assert_int_equal(bisection_update(&bisection), 0);
                assert_near(sum_of_masses(&bisection), 1, 1e-9);
                r = bisection_choose(&bisection, &costs, &choice);
        }
        assert_true(bisection_best(&bisection, ret_block, 1) > 0);
        return r;
}

TEST(a_search_is_right_as_often_as_its_posterior_says) {
        enum {
                SEARCHES = 200
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        double claimed = 0;
        int right = 0;

        for (int i = 0; i < SEARCHES; i++) {
                const size_t culprit = 1 + gsl_rng_uniform_int(random, 100);
                BisectionBlock block;

                if (search(random, 100, culprit, i % 2 ? 0.01 : -0.01, 0.002, 0.004, &block) == BISECTION_CHOICE_E_NONE)
                        block.last = 0;
                claimed += block.mass / SEARCHES;
                right += block.last == culprit;
        }
        assert_true(claimed > 0.9);
        if ((double)right / SEARCHES < claimed - share_tolerance(claimed, SEARCHES))
                fail_msg("%d of %d right, %.3f claimed", right, SEARCHES, claimed);
}

TEST(ends_that_only_their_layout_parts_accuse_hardly_any_commit) {
        enum {
                SEARCHES = 100
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int accused = 0;

        for (int i = 0; i < SEARCHES; i++) {
                BisectionBlock block;

                accused += search(random, 64, 1, 0, 0.002, 0.004, &block) == BISECTION_CHOICE_E_FOUND;
        }
        if (accused > 100 * (0.03 + share_tolerance(0.03, SEARCHES)))
                fail_msg("%d of %d accused", accused, SEARCHES);
}

TEST(ends_differ_once_in_many_searches_by_chance) {
        enum {
                SEARCHES = 4000
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int differ = 0;

        for (int i = 0; i < SEARCHES; i++) {
                _cleanup_(bisection_clear) Bisection bisection = {};
                bool seen = false;

                assert_int_equal(bisection_init(&bisection, 9), 0);
                for (unsigned n = 0; n < BISECTION_ENDS_MAX && !seen; n += BISECTION_ENDS_LOOK) {
                        double values[BISECTION_ENDS_LOOK];

                        for (size_t k = 0; k < BISECTION_ENDS_LOOK; k++)
                                values[k] = gsl_ran_gaussian(random, 0.004);
                        bisection_add(&bisection, 9, BISECTION_ENDS_LOOK,
                                        gsl_stats_mean(values, 1, BISECTION_ENDS_LOOK),
                                        gsl_stats_sd(values, 1, BISECTION_ENDS_LOOK) / sqrt(BISECTION_ENDS_LOOK),
                                        BISECTION_ENDS_LOOK - 1);
                        seen = bisection_ends_differ(&bisection);
                }
                differ += seen;
        }
        if (differ > SEARCHES * (0.003 + share_tolerance(0.003, SEARCHES)))
                fail_msg("%d of %d differ", differ, SEARCHES);
}
