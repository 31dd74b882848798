/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "ctl/ask/exec/exec-effort.h"
#include "test.h"
#include "util/cleanup.h"

static unsigned runs_of(const ExecEffort *effort) {
        return effort->processes * effort->samples;
}

TEST(a_long_run_has_a_process_to_itself_and_short_ones_share_one) {
        const struct {
                double run_s;
                unsigned samples;
        } rows[] = { { 10, 1 }, { 0.05, 1 }, { 0.026, 1 }, { 0.025, 2 }, { 0.01, 5 }, { 0.001, 20 }, { 1e-6, 20 },
                { 0, 1 } };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_int_equal(exec_effort(&(ExecEffortAsked){}, rows[i].run_s, 1).samples, rows[i].samples);
}

TEST(a_number_that_is_given_is_met_exactly) {
        static const double times_s[] = { 0, 1e-4, 0.01, 1, 100 };

        for (unsigned runs = 1; runs <= 400; runs++)
                for (size_t i = 0; i < N_ELEMENTS(times_s); i++) {
                        const ExecEffort effort = exec_effort(&(ExecEffortAsked){ .runs = runs }, times_s[i], 2);

                        assert_int_equal(runs_of(&effort), runs);
                        assert_true(effort.precision == 0);
                }
        for (unsigned runs = 1000; runs <= EXEC_RUNS_MAX; runs += 1000) {
                const ExecEffort effort = exec_effort(&(ExecEffortAsked){ .runs = runs }, 0.01, 1);

                assert_int_equal(runs_of(&effort), runs);
                assert_true(effort.processes <= 1000);
        }
}

TEST(runs_are_at_least_ten_and_within_their_bounds) {
        for (double run_s = 1e-4; run_s < 1000; run_s *= 1.7)
                for (unsigned bound = 1; bound < 300; bound += 7) {
                        const ExecEffort plain = exec_effort(&(ExecEffortAsked){}, run_s, 2);
                        const ExecEffort least = exec_effort(&(ExecEffortAsked){ .min_runs = bound }, run_s, 1);
                        const ExecEffort most = exec_effort(&(ExecEffortAsked){ .max_runs = bound }, run_s, 1);

                        assert_true(runs_of(&plain) >= 10);
                        assert_true(runs_of(&least) >= bound);
                        assert_true(runs_of(&most) <= bound);
                }
}

/* The daemon estimates from the first 12 processes, or 20 of a comparison, so a budget without room for them fixes the number. */
TEST(a_precision_is_for_runs_that_the_budget_has_room_for) {
        assert_true(exec_effort(&(ExecEffortAsked){}, 0.1, 1).precision == 1);
        assert_true(exec_effort(&(ExecEffortAsked){ .min_runs = 33 }, 0.1, 2).precision == 1);
        assert_true(exec_effort(&(ExecEffortAsked){ .min_runs = 33 }, 0.4, 2).precision == 0);
        assert_true(exec_effort(&(ExecEffortAsked){}, 1, 1).precision == 0);
        assert_true(exec_effort(&(ExecEffortAsked){ .budget_s = 60 }, 1, 1).precision == 1);
        assert_true(exec_effort(&(ExecEffortAsked){ .precision = 0.3 }, 0.1, 1).precision == 0.3);
        assert_int_equal(exec_effort(&(ExecEffortAsked){ .budget_s = 60 }, 1, 1).processes,
                        59); /* each has a start of its own */
        assert_true(exec_effort(&(ExecEffortAsked){ .processes = 30 }, 0.1, 1).precision == 0);
}

/* It once fixed the number. */
TEST(a_least_number_of_runs_leaves_the_rest_to_the_precision) {
        const ExecEffort run = exec_effort(&(ExecEffortAsked){ .min_runs = 100 }, 0.01, 1);
        const ExecEffort pair = exec_effort(&(ExecEffortAsked){ .min_runs = 60 }, 0.01, 2);

        assert_true(run.precision == 1 && run.least * run.samples == 100 && runs_of(&run) > 300);
        assert_true(pair.ends_itself && pair.least * pair.samples == 60);
        assert_int_equal(exec_effort(&(ExecEffortAsked){ .min_runs = 500 }, 0.01, 1).precision, 0);
        assert_int_equal(exec_effort(&(ExecEffortAsked){}, 0.01, 1).least, 0);
}

TEST(a_comparison_ends_by_itself_unless_a_number_or_a_precision_is_given) {
        static const struct {
                ExecEffortAsked asked;
                double run_s;
                unsigned sides;
                bool ends_itself;
        } rows[] = {
                { {}, 0.1, 2, true },
                { {}, 1e-3, 2, true },
                { {}, 100, 2, true },
                { { .budget_s = 60 }, 1, 2, true },
                { { .min_runs = 8 }, 1, 2, true },
                { { .max_runs = 16 }, 1, 2, true },
                { {}, 0.1, 1, false },
                { {}, 0, 2, false },
                { { .runs = 10 }, 0.1, 2, false },
                { { .processes = 10 }, 0.1, 2, false },
                { { .precision = 1 }, 0.1, 2, false },
                { { .min_runs = 32 }, 1, 2, true },
                { { .min_runs = 33 }, 1, 2, false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const ExecEffort effort = exec_effort(&rows[i].asked, rows[i].run_s, rows[i].sides);

                assert_true(effort.ends_itself == rows[i].ends_itself);
                assert_true(!effort.ends_itself || effort.precision == 0);
        }
        /* a budget that holds one run still has a second look; a bound of runs is never exceeded */
        assert_int_equal(exec_effort(&(ExecEffortAsked){}, 100, 2).processes, 12);
        assert_int_equal(exec_effort(&(ExecEffortAsked){ .max_runs = 10 }, 1, 2).processes, 10);
}

TEST(the_daemon_has_room_for_all_runs_at_twice_their_time) {
        for (double run_s = 1e-4; run_s < 100; run_s *= 1.7)
                for (unsigned sides = 1; sides <= 2; sides++) {
                        const ExecEffort effort = exec_effort(&(ExecEffortAsked){}, run_s, sides);

                        assert_true(effort.budget_s >= sides * run_s * runs_of(&effort) || effort.budget_s == 86400);
                }
}
