/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How many processes a precision takes: by the spread of the first, never under them, never over what budget and limits hold;
 * and the interval is then as narrow as was asked for.
 */

#include "front/plan/processes-needed.h"

#include <gsl/gsl_cdf.h>

#include "random.h"

static const double five[] = { 97, 99, 100, 101, 103 };

static ProcessesNeededFacts facts_of_five(void) {
        return (ProcessesNeededFacts){
                .medians = five,
                .n = 5,
                .n_done = 5,
                .precision = 0.01,
                .sampling_ns = 5e6,
                .budget_ns = 3e9,
                .most = 1000,
        };
}

static ProcessesNeeded decide(const ProcessesNeededFacts *facts) {
        ProcessesNeeded needed;

        assert_int_equal(processes_needed_decide(facts, &needed), 0);
        return needed;
}

TEST(as_many_as_student_says_from_the_spread_of_the_first) {
        ProcessesNeededFacts facts = facts_of_five();
        double mean = 0, squares = 0, by_student;
        ProcessesNeeded needed;

        for (size_t i = 0; i < 5; i++)
                mean += log(five[i]) / 5;
        for (size_t i = 0; i < 5; i++)
                squares += pow(log(five[i]) - mean, 2);
        /* up to whole rounds of the places */
        by_student = 4 * ceil(squares / 4 * pow(gsl_cdf_tdist_Pinv(0.975, 4) / log(1.01), 2) / 4);
        needed = decide(&facts);
        assert_int_equal(needed.processes, by_student);
        assert_int_equal(needed.wanted, by_student);
        assert_int_equal(needed.limit, PROCESSES_NEEDED_UNLIMITED);
}

TEST(what_is_wide_enough_already_takes_no_more) {
        ProcessesNeededFacts facts = facts_of_five();

        facts.precision = 0.5;
        facts.n_done = 8;
        assert_int_equal(decide(&facts).processes, 8);
        assert_int_equal(decide(&facts).limit, PROCESSES_NEEDED_UNLIMITED);
}

TEST(a_budget_or_a_limit_that_ends_before_is_told_apart) {
        ProcessesNeededFacts facts = facts_of_five();

        facts.budget_ns = 12.5e6; /* twelve and a half processes */
        assert_int_equal(decide(&facts).processes, 12);
        assert_int_equal(decide(&facts).limit, PROCESSES_NEEDED_BUDGET);
        assert_true(decide(&facts).wanted > 12);
        facts.most = 8;
        assert_int_equal(decide(&facts).processes, 8);
        assert_int_equal(decide(&facts).limit, PROCESSES_NEEDED_MOST);
        facts.budget_ns = 1; /* what is done is done */
        assert_int_equal(decide(&facts).processes, 5);
        assert_int_equal(decide(&facts).limit, PROCESSES_NEEDED_BUDGET);
}

/* Of ten processes five had the core alone: as many more are needed as if there had been five. */
TEST(processes_without_a_median_narrow_no_interval) {
        ProcessesNeededFacts facts = facts_of_five();
        const uint32_t wanted = decide(&facts).processes;

        facts.n_done = 10;
        assert_int_equal(decide(&facts).processes, wanted + 5);
        assert_int_equal(decide(&facts).wanted, wanted);
}

TEST(without_a_spread_there_is_nothing_to_reckon_with) {
        ProcessesNeededFacts facts = facts_of_five();
        const double negative[] = { -1, 2, 3 };

        facts.n = facts.n_done = 1;
        assert_int_equal(decide(&facts).processes, 1);
        assert_int_equal(decide(&facts).limit, PROCESSES_NEEDED_UNKNOWN);
        facts.medians = negative;
        facts.n = facts.n_done = 3;
        assert_int_equal(decide(&facts).processes, 3);
        assert_int_equal(decide(&facts).limit, PROCESSES_NEEDED_UNKNOWN);
}

/* Stein's interval, of the first stage's deviation and degrees of freedom, is never wider; and covers as often as it says. */
TEST(the_number_it_fixes_covers_the_truth_as_often_as_asked_for) {
        enum {
                TRIALS = 2000,
                FIRST = 12
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        double n_covered = 0, n_processes = 0;

        for (int i = 0; i < TRIALS; i++) {
                double medians[FIRST], sum = 0;
                ProcessesNeededFacts facts = {
                        .medians = medians,
                        .n = FIRST,
                        .n_done = FIRST,
                        .precision = 0.01,
                        .budget_ns = 1e18,
                        .most = 1000,
                };
                ProcessesNeeded needed;

                for (size_t j = 0; j < FIRST; j++) {
                        medians[j] = gsl_ran_lognormal(random, 0, 0.01);
                        sum += log(medians[j]);
                }
                needed = decide(&facts);
                for (size_t j = FIRST; j < needed.processes; j++)
                        sum += gsl_ran_gaussian(random, 0.01);
                n_covered += fabs(sum / needed.processes) <= log(1.01);
                n_processes += needed.processes;
        }
        print_message("± 1 %% of processes 1 %% apart: %.1f on average, within it in %.1f %%\n", n_processes / TRIALS,
                        100 * n_covered / TRIALS);
        assert_true(n_covered / TRIALS >= 0.95 - share_tolerance(0.95, TRIALS));
}
