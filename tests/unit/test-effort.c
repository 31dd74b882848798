/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How much is measured: what each layer says wins over the layers below, and a precision takes what the limits leave.
 */

#include "front/plan/effort.h"

#include "front/plan/plan.h"
#include "planning.h"
#include "util/time.h"

TEST(the_default_is_that_of_the_manual) {
        const RunnerSchedule *schedule;

        add_entry(listing, "a", "x");
        plan_again(1);
        schedule = &plan->benchmarks[0].schedule;
        assert_int_equal(plan->benchmarks[0].processes_first, 12);
        assert_int_equal(plan->n_processes, 36);
        assert_int_equal(schedule->samples, 200);
        assert_int_equal(schedule->target_ns, 25000);
        assert_int_equal(schedule->warmup_min_ns, 8 * NS_PER_MS);
        assert_int_equal(schedule->quiet_samples, 30);
        assert_int_equal(schedule->quiet_ns, 100 * NS_PER_MS);
        assert_int_equal(schedule->samples_most, RUNNER_SAMPLES_MAX);
        assert_int_equal(schedule->warmup_max_ns, 1500 * NS_PER_MS);
        assert_int_equal(schedule->budget_ns, 250 * NS_PER_MS);
        assert_int_equal(schedule->iterations, 0);
}

TEST(quick_wins_over_the_module_and_the_command_line_over_both) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        entry->processes = 7;
        entry->samples = 11;
        entry->min_time_ns = 5000;
        entry->warmup_ms = 3;
        entry->iterations = 9;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].processes_first, 7);
        assert_int_equal(plan->benchmarks[0].schedule.samples, 11);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 5000);
        assert_int_equal(plan->benchmarks[0].schedule.iterations, 9);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_min_ns, 3 * NS_PER_MS);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 3 * NS_PER_MS);

        request.quick = request.has_quick = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].processes_first, 4);
        assert_int_equal(plan->benchmarks[0].schedule.samples, 40);
        assert_int_equal(plan->benchmarks[0].schedule.quiet_samples, 15);
        assert_int_equal(plan->benchmarks[0].schedule.quiet_ns, 120 * NS_PER_MS);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 20000);

        request.processes = 4, request.has_processes = 1;
        request.samples = 5, request.has_samples = 1;
        request.min_time_ns = 6, request.has_min_time_ns = 1;
        request.warmup_ns = 0, request.has_warmup_ns = 1;
        request.iterations = 8, request.has_iterations = 1;
        request.budget_ns = 400, request.has_budget_ns = 1;
        plan_again(1);
        assert_int_equal(plan->n_processes, 4);
        assert_int_equal(plan->benchmarks[0].schedule.samples, 5);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 6);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 0);
        assert_int_equal(plan->benchmarks[0].schedule.iterations, 8);
        assert_int_equal(plan->benchmarks[0].schedule.budget_ns, 100);
        assert_int_equal(plan->benchmarks[0].schedule.quiet_ns, 100);
}

TEST(batches_of_cpu_time_are_longer_unless_a_length_is_given) {
        add_entry(listing, "a", "x");
        request.cpu_time = request.has_cpu_time = true;
        plan_again(1);
        assert_int_equal(plan->options, RUNNER_OPTION_CPU_TIME);
        assert_int_equal(plan->target_ns, 200000);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 200000);

        request.min_time_ns = 6, request.has_min_time_ns = true;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 6);
}

TEST(a_module_may_want_no_warm_up_and_then_its_calls_are_counted) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        entry->warmup_ms = LISTING_NO_WARMUP;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 0);
        assert_int_equal(plan->benchmarks[0].schedule.quiet_samples, 30);

        entry->iterations = 1;
        entry->samples = 100;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].schedule.quiet_samples, 0);

        request.warmup_ns = 5, request.has_warmup_ns = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 5);
        assert_int_equal(plan->benchmarks[0].schedule.quiet_samples, 30);
}

TEST(what_is_cold_has_one_iteration_and_no_warm_up_but_one_that_is_asked_for) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        entry->iterations = 9;
        entry->warmup_ms = 3;
        request.cold = request.has_cold = 1;
        plan_again(1);
        assert_int_equal(plan->options, RUNNER_OPTION_COLD);
        assert_int_equal(plan->benchmarks[0].schedule.iterations, 1);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 0);

        request.warmup_ns = 5, request.has_warmup_ns = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_min_ns, 5);
}

TEST(few_samples_that_are_asked_for_need_few_quiet_ones_but_as_many_as_a_median_takes) {
        static const struct {
                uint32_t samples, quiet;
        } rows[] = { { 1, 1 }, { 2, 1 }, { 3, 2 }, { 10, 5 }, { 20, 10 }, { 50, 15 }, { 59, 17 }, { 60, 30 },
                { 100, 30 }, { 4096, 30 } };

        add_entry(listing, "a", "x");
        request.has_samples = 1;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                request.samples = rows[i].samples;
                plan_again(1);
                assert_int_equal(plan->benchmarks[0].schedule.quiet_samples, rows[i].quiet);
        }
}

TEST(older_methods_do_not_ask_for_quiet_samples) {
        const RunnerSchedule *schedule;

        add_entry(listing, "a", "x");
        request.method = (char[]){ "stopwatch" };
        plan_again(1);
        schedule = &plan->benchmarks[0].schedule;
        assert_true(schedule->quiet_samples == 0 && schedule->samples_most == 0 && schedule->quiet_ns == 0);
}

/* However many benchmarks, processes and threads there are: each has room for some, and all of a group stay within the plan's limit. */
TEST(the_samples_that_a_shared_core_may_take_are_bounded) {
        static const struct {
                uint32_t benchmarks, processes, threads;
                uint32_t most;
        } rows[] = {
                { 1, 10, 1, 4096 },
                { 1, 1000, 1, 1048 },
                { 100, 10, 1, 1048 },
                { 600, 10, 1, 1000 },
                { 1, 10, 4, 1024 },
                { 100, 10, 4, 1000 },
                { 1, 1000, 4, 262 },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char name[16];

                plan_afresh();
                for (uint32_t j = 0; j < rows[i].benchmarks; j++) {
                        snprintf(name, sizeof name, "x%u", j);
                        add_entry(listing, "a", name);
                }
                request.has_processes = request.has_threads = 1;
                request.processes = rows[i].processes;
                request.threads = rows[i].threads;
                plan_again(1);
                for (size_t j = 0; j < plan->n_benchmarks; j++)
                        assert_int_equal(plan->benchmarks[j].schedule.samples_most, rows[i].most);
        }
}

/* A block has room for so many, whoever took them. */
TEST(the_samples_of_all_threads_fit_a_block) {
        add_entry(listing, "a", "x");
        request.samples = RUNNER_SAMPLES_MAX, request.has_samples = 1;
        request.has_threads = 1;
        for (request.threads = 1; request.threads <= 64; request.threads++) {
                uint32_t n = plan_again(1)->benchmarks[0].schedule.samples * request.threads;

                assert_true(n <= RUNNER_SAMPLES_MAX && n > RUNNER_SAMPLES_MAX - request.threads);
        }
}

/* A request and its module leave some looks of a comparison, or a fixed number where there are none. */
TEST(a_comparison_ends_by_itself_unless_something_fixes_its_number) {
        static const struct {
                uint32_t processes, most, of_module; /* 0: not given, likewise the others */
                bool quick;
                double precision;
                uint32_t n_looks, first;
        } rows[] = {
                { .n_looks = 6, .first = 32 },
                { .most = 1000, .n_looks = 6, .first = 32 },
                { .most = 31, .n_looks = 5, .first = 24 },
                { .most = 8, .n_looks = 1, .first = 8 },
                { .most = 7, .first = 7 },
                { .processes = 20, .first = 20 },
                { .of_module = 5, .first = 5 },
                { .most = 16, .of_module = 5, .first = 5 },
                { .quick = true, .first = 4 },
                { .quick = true, .of_module = 5, .first = 4 },
                { .precision = 0.01, .first = 20 },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                plan_afresh();
                add_entry(listing, "a", "x")->processes = rows[i].of_module;
                add_entry(old_listing, "a", "x");
                request.comparison = &comparison;
                request.has_processes = rows[i].processes > 0, request.processes = rows[i].processes;
                request.has_processes_most = rows[i].most > 0, request.processes_most = rows[i].most;
                request.has_quick = request.quick = rows[i].quick;
                request.has_precision = rows[i].precision > 0, request.precision = rows[i].precision;
                plan_again(7);
                assert_int_equal(plan->benchmarks[0].n_looks, rows[i].n_looks);
                assert_int_equal(plan->benchmarks[0].processes_first, rows[i].first);
                assert_int_equal(plan_most_looks(plan), rows[i].n_looks);
                assert_int_equal(plan->benchmarks[0].schedule.budget_ns,
                                plan->budget_ns / (rows[i].first < 20 ? rows[i].first : 20));
                assert_int_equal(plan_least_processes(&plan->benchmarks[0]), rows[i].n_looks > 0 ? 8 : rows[i].first);
                assert_true(rows[i].precision > 0 ||
                                plan->expected_ns == plan_least_processes(&plan->benchmarks[0]) *
                                                                     plan_schedule_expected_ns(
                                                                                     &plan->benchmarks[0].schedule));
        }
}

TEST(a_run_has_no_looks) {
        add_entry(listing, "a", "x");
        plan_again(7);
        assert_int_equal(plan_most_looks(plan), 0);
}

TEST(a_precision_lays_out_as_many_as_there_may_be_and_begins_with_the_usual_number) {
        static const struct {
                uint32_t asked; /* 0: nothing */
                uint32_t samples;
                uint32_t most, first;
                uint32_t least; /* 0: nothing */
        } rows[] = { { 0, 50, 1000, 12 }, { 0, 4096, 256, 12 }, { 30, 50, 30, 12 }, { 4, 50, 4, 4 },
                { 0, 50, 1000, 40, 40 }, { 0, 50, 1000, 12, 5 }, { 30, 50, 30, 30, 40 } };

        add_entry(listing, "a", "x");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                _cleanup_(plan_freep) Plan *again = NULL;

                request.has_precision = request.has_samples = 1;
                request.precision = 0.01;
                request.samples = rows[i].samples;
                request.has_processes = rows[i].asked > 0;
                request.processes = rows[i].asked;
                request.has_processes_least = rows[i].least > 0;
                request.processes_least = rows[i].least;
                plan_again(7);
                again = make_plan(listing, &request, 7);
                assert_int_equal(plan->benchmarks[0].processes, rows[i].most);
                assert_int_equal(plan->benchmarks[0].processes_first, rows[i].first);
                assert_int_equal(plan->n_processes, rows[i].most);
                assert_memory_equal(plan->processes, again->processes, plan->n_processes * sizeof *plan->processes);
                /* not by the most: a process samples as long as in a usual run */
                assert_int_equal(plan->benchmarks[0].schedule.budget_ns, 250 * NS_PER_MS);
                assert_true(plan->expected_ns ==
                                rows[i].first * plan_schedule_expected_ns(&plan->benchmarks[0].schedule));
        }
}

TEST(a_precision_of_many_benchmarks_stays_within_the_limits) {
        request.has_precision = request.has_memory = 1;
        request.precision = 0.01;
        request.memory = 1;
        for (unsigned i = 0; i < 1000; i++) {
                char name[16];

                snprintf(name, sizeof name, "x%u", i);
                add_entry(listing, "a", name);
        }
        plan_again(7);
        assert_int_equal(plan->benchmarks[0].processes, 129);
        assert_int_equal(plan->n_processes, PLAN_PROCESSES_MAX);
}

TEST(a_module_names_its_method_and_the_command_line_another) {
        add_entry(listing, "a", "x");
        strcpy(add_entry(listing, "a", "y")->method, "mark7");
        plan_again(1);
        assert_string_equal(plan->benchmarks[0].method->name, "benchd");
        assert_string_equal(plan->benchmarks[1].method->name, "mark7");
        assert_true(plan->benchmarks[1].options & RUNNER_OPTION_NO_PRIME);
        assert_int_equal(plan->n_processes, 37);
        request.method = (char *)"macro";
        plan_again(1);
        assert_string_equal(plan->benchmarks[1].method->name, "macro");
        assert_false(plan->benchmarks[1].options & RUNNER_OPTION_NO_PRIME);
}

TEST(what_has_no_method_or_not_for_the_request_is_not_run) {
        strcpy(add_entry(listing, "a", "x")->method, "mark9");
        strcpy(add_entry(listing, "a", "y")->method, "mark7");
        request.quick = true, request.has_quick = true;
        plan_again(1);
        assert_null(plan->benchmarks[0].method);
        assert_string_equal(plan->benchmarks[1].refused, "quick");
        assert_int_equal(plan->n_processes, 0);
}
