/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The plan of a run: every benchmark gets its processes, in rounds, in an order that the seed decides; what each layer
 * says wins over the layers below.
 */

#include "front/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <cmocka.h>

#include "front/arguments.h"
#include "front/spawn.h"
#include "util/time.h"

static ListingBlock *listing;

static ListingEntry *add_entry(const char *area, const char *name) {
        ListingEntry *entry = &listing->entries[listing->n_entries++];

        memset(entry, 0, sizeof *entry);
        strcpy(entry->area, area);
        strcpy(entry->name, name);
        return entry;
}

static void add_range(ListingEntry *entry, const char *name, int64_t first, int64_t last, int64_t factor) {
        ListingAxis *axis = &entry->axes[entry->n_axes++];

        strcpy(axis->name, name);
        axis->first = first;
        axis->last = last;
        axis->factor = factor;
}

static int set_up(void **state) {
        listing = calloc(1, sizeof *listing);
        return listing ? 0 : -1;
}

static int tear_down(void **state) {
        free(listing);
        return 0;
}

static uint64_t draw_seed(void) {
        uint64_t seed;

        assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
        print_message("seed %llu\n", (unsigned long long)seed);
        return seed;
}

static int plan_listing(const Benchd__RunRequest *request, uint64_t seed, RunPlan **ret_plan) {
        return run_plan_new(&(PlanInput){ .listing = listing, .threads_max = 4 }, request, seed, ret_plan);
}

static RunPlan *make_plan(const Benchd__RunRequest *request, uint64_t seed) {
        RunPlan *plan;

        assert_int_equal(plan_listing(request, seed, &plan), 0);
        return plan;
}

static void the_default_is_that_of_the_manual(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        const RunnerSchedule *schedule;

        add_entry("a", "x");
        plan = make_plan(&request, 1);
        schedule = &plan->benchmarks[0].schedule;
        assert_int_equal(plan->n_processes, 10);
        assert_int_equal(schedule->samples, 50);
        assert_int_equal(schedule->target_ns, 100000);
        assert_int_equal(schedule->warmup_min_ns, 20 * NS_PER_MS);
        assert_int_equal(schedule->warmup_max_ns, 1500 * NS_PER_MS);
        assert_int_equal(schedule->budget_ns, 300 * NS_PER_MS);
        assert_int_equal(schedule->iterations, 0);
}

static void quick_wins_over_the_module_and_the_command_line_over_both(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        ListingEntry *entry = add_entry("a", "x");
        RunPlan *plan;

        entry->processes = 7;
        entry->samples = 11;
        entry->min_time_ns = 5000;
        entry->warmup_ms = 3;
        entry->iterations = 9;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_processes, 7);
        assert_int_equal(plan->benchmarks[0].schedule.samples, 11);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 5000);
        assert_int_equal(plan->benchmarks[0].schedule.iterations, 9);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_min_ns, 3 * NS_PER_MS);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 3 * NS_PER_MS);
        run_plan_free(plan);

        request.quick = request.has_quick = 1;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_processes, 3);
        assert_int_equal(plan->benchmarks[0].schedule.samples, 20);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 20000);
        run_plan_free(plan);

        request.processes = 4, request.has_processes = 1;
        request.samples = 5, request.has_samples = 1;
        request.min_time_ns = 6, request.has_min_time_ns = 1;
        request.warmup_ns = 0, request.has_warmup_ns = 1;
        request.iterations = 8, request.has_iterations = 1;
        request.budget_ns = 400, request.has_budget_ns = 1;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_processes, 4);
        assert_int_equal(plan->benchmarks[0].schedule.samples, 5);
        assert_int_equal(plan->benchmarks[0].schedule.target_ns, 6);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 0);
        assert_int_equal(plan->benchmarks[0].schedule.iterations, 8);
        assert_int_equal(plan->benchmarks[0].schedule.budget_ns, 100);
        run_plan_free(plan);
}

static void a_range_goes_by_its_factor_and_ends_with_its_last(void **state) {
        static const struct {
                int64_t first, last, factor;
                size_t n;
                int64_t expected[4];
        } cases[] = {
                { 1, 1, 2, 1, { 1 } },
                { 1, 4, 2, 3, { 1, 2, 4 } },
                { 1, 5, 2, 4, { 1, 2, 4, 5 } },
                { 3, 4, 10, 2, { 3, 4 } },
                { INT64_MAX / 2, INT64_MAX, 2, 3, { INT64_MAX / 2, INT64_MAX - 1, INT64_MAX } },
        };
        int64_t values[AXIS_VALUES_MAX];

        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ListingAxis axis = { .first = cases[i].first, .last = cases[i].last, .factor = cases[i].factor };

                assert_int_equal(axis_values(&axis, values), cases[i].n);
                assert_memory_equal(values, cases[i].expected, cases[i].n * sizeof *values);
        }
        assert_int_equal(axis_values(&(ListingAxis){ .first = 1, .last = INT64_MAX, .factor = 2 }, values),
                        AXIS_VALUES_MAX);
}

static void arguments_are_multiplied_and_filtered(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        char *filters[] = { (char *)"*/*/m=9", (char *)"!*/n=4" };
        ListingEntry *entry = add_entry("a", "x");

        add_range(entry, "n", 1, 8, 2);
        add_range(entry, "m", 1, 9, 3);
        add_entry("a", "y");
        request.filters = filters;
        request.n_filters = 2;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_entries, 1);
        assert_int_equal(plan->n_benchmarks, 3);
        for (size_t i = 0; i < 3; i++) {
                static const int64_t n[] = { 1, 2, 8 };

                assert_int_equal(plan->benchmarks[i].args[0], n[i]);
                assert_int_equal(plan->benchmarks[i].args[1], 9);
        }
        assert_string_equal(plan->entries[0].arg_names[1], "m");
}

/* Every round of a plan of equal benchmarks holds each of them once. */
static void every_round_runs_every_benchmark_once(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        size_t n = 37;
        bool moved = false;

        add_range(add_entry("a", "x"), "n", 1, INT64_C(1) << 36, 2);
        plan = make_plan(&request, draw_seed());
        assert_int_equal(plan->n_benchmarks, n);
        assert_int_equal(plan->n_processes, 10 * n);
        for (size_t round = 0; round < 10; round++) {
                bool seen[37] = {};

                for (size_t i = 0; i < n; i++) {
                        const PlanProcess *process = &plan->processes[round * n + i];

                        assert_false(seen[process->benchmark]);
                        seen[process->benchmark] = true;
                        moved |= process->benchmark != i;
                        assert_true(process->stack_offset_bytes % 16 == 0 && process->stack_offset_bytes < 4096);
                        assert_true(process->environment_padding_bytes < 4096);
                }
        }
        assert_true(moved);
}

static void the_seed_decides_and_nothing_else_does(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        uint64_t seed = draw_seed();
        RunPlan *a, *b, *c;

        add_range(add_entry("a", "x"), "n", 1, INT64_C(1) << 36, 2);
        a = make_plan(&request, seed);
        b = make_plan(&request, seed);
        c = make_plan(&request, seed + 1);
        assert_memory_equal(a->processes, b->processes, a->n_processes * sizeof *a->processes);
        assert_memory_not_equal(a->processes, c->processes, a->n_processes * sizeof *a->processes);
        run_plan_free(a);
        run_plan_free(b);
        run_plan_free(c);
}

static void more_than_a_group_of_samples_is_cut_into_groups(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        size_t last_of[8] = {}, first_of[8];

        for (int i = 0; i < 8; i++)
                add_entry("a", (char[]){ 'a' + i, 0 });
        request.samples = 4096, request.has_samples = 1;
        request.processes = 64, request.has_processes = 1; /* 2^18 samples each, 4 in a group */
        plan = make_plan(&request, 1);
        memset(first_of, -1, sizeof first_of);
        for (size_t i = 0; i < plan->n_processes; i++) {
                uint32_t b = plan->processes[i].benchmark;

                last_of[b] = i;
                first_of[b] = first_of[b] == (size_t)-1 ? i : first_of[b];
        }
        for (int i = 0; i < 4; i++)
                for (int j = 4; j < 8; j++)
                        assert_true(last_of[i] < first_of[j]);
        assert_true(first_of[1] < last_of[0]);
}

static void a_fixed_layout_is_nought_and_keeps_the_order(void **state) {
        _cleanup_(run_plan_freep) RunPlan *random = NULL, *fixed = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        add_entry("a", "x");
        add_entry("a", "y");
        random = make_plan(&request, 9);
        request.no_aslr = request.has_no_aslr = 1;
        fixed = make_plan(&request, 9);
        assert_int_equal(random->options, 0);
        assert_int_equal(fixed->options, RUNNER_OPTION_FIXED_LAYOUT);
        assert_int_equal(fixed->n_processes, random->n_processes);
        for (size_t i = 0; i < fixed->n_processes; i++) {
                assert_int_equal(fixed->processes[i].benchmark, random->processes[i].benchmark);
                assert_int_equal(fixed->processes[i].stack_offset_bytes, 0);
                assert_int_equal(fixed->processes[i].environment_padding_bytes, 0);
        }
}

static void what_is_cold_has_one_iteration_and_no_warm_up_but_one_that_is_asked_for(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        ListingEntry *entry = add_entry("a", "x");
        RunPlan *plan;

        entry->iterations = 9;
        entry->warmup_ms = 3;
        request.cold = request.has_cold = 1;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->options, RUNNER_OPTION_COLD);
        assert_int_equal(plan->benchmarks[0].schedule.iterations, 1);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_max_ns, 0);
        run_plan_free(plan);

        request.warmup_ns = 5, request.has_warmup_ns = 1;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->benchmarks[0].schedule.warmup_min_ns, 5);
        run_plan_free(plan);
}

static void options_of_every_process_reach_its_plan(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        static OpsRecord record;

        add_entry("a", "x");
        request.trace = request.has_trace = 1;
        request.no_prime = request.has_no_prime = 1;
        request.has_cold = 1;
        plan = make_plan(&request, 1);
        spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = NS_PER_S }, plan, &plan->processes[0], &record);
        assert_int_equal(record.spawn.plan.options, RUNNER_OPTION_TRACE | RUNNER_OPTION_UNPRIMED);
        assert_int_equal(ops_check(&record, 0), 0);
}

static void hidden_runs_only_when_written_out(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        char *filters[] = { (char *)"x" };
        RunPlan *plan;

        add_entry("a", "x")->hidden = 1;
        assert_int_equal(plan_listing(&request, 1, &plan), PLAN_E_NO_MATCH);
        request.filters = filters;
        request.n_filters = 1;
        run_plan_free(make_plan(&request, 1));
}

static void each_number_of_threads_is_a_benchmark_and_the_command_line_knows_one(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        ListingEntry *entry = add_entry("a", "x");
        RunPlan *plan;

        add_entry("a", "y");
        entry->n_threads = 2;
        entry->threads[0] = 1;
        entry->threads[1] = 4;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_benchmarks, 3);
        assert_int_equal(plan->n_processes, 30);
        assert_int_equal(plan->benchmarks[0].threads, 1);
        assert_int_equal(plan->benchmarks[1].threads, 4);
        assert_int_equal(plan->benchmarks[2].threads, 1);
        run_plan_free(plan);

        request.threads = 3, request.has_threads = 1;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_benchmarks, 2);
        assert_int_equal(plan->benchmarks[0].threads, 3);
        assert_int_equal(plan->benchmarks[1].threads, 3);
        run_plan_free(plan);
}

static void more_threads_than_the_machine_has_cpus_for_are_not_run(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        ListingEntry *entry = add_entry("a", "x");

        entry->n_threads = 2;
        entry->threads[0] = 4;
        entry->threads[1] = 5;
        plan = make_plan(&request, 1);
        assert_int_equal(plan->n_processes, 10);
        assert_false(plan->benchmarks[0].too_many_threads);
        assert_true(plan->benchmarks[1].too_many_threads);
}

/* A block has room for so many, whoever took them. */
static void the_samples_of_all_threads_fit_a_block(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        add_entry("a", "x");
        request.samples = RUNNER_SAMPLES_MAX, request.has_samples = 1;
        request.has_threads = 1;
        for (request.threads = 1; request.threads <= 64; request.threads++) {
                RunPlan *plan = make_plan(&request, 1);
                uint32_t n = plan->benchmarks[0].schedule.samples * request.threads;

                assert_true(n <= RUNNER_SAMPLES_MAX && n > RUNNER_SAMPLES_MAX - request.threads);
                run_plan_free(plan);
        }
}

static void what_counts_comes_after_all_that_is_timed(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        size_t n_counting[2] = {};
        RunPlan *plan;

        add_entry("a", "x");
        add_entry("a", "y");
        add_entry("a", "threaded")->n_threads = 1;
        listing->entries[2].threads[0] = 64;
        request.has_memory = request.memory = 1;
        request.has_processes = 1;
        request.processes = 5;
        plan = make_plan(&request, draw_seed());
        assert_int_equal(plan->n_processes, 12);
        for (size_t i = 0; i < plan->n_processes; i++) {
                assert_int_equal(plan->processes[i].counts, i >= 10);
                assert_in_range(plan->processes[i].benchmark, 0, 1);
                n_counting[plan->processes[i].benchmark] += plan->processes[i].counts;
        }
        assert_int_equal(n_counting[0], 1);
        assert_int_equal(n_counting[1], 1);
        run_plan_free(plan);
}

static void what_subtracts_an_empty_loop_has_it_as_its_first_benchmark(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        add_entry("a", "x");
        add_entry("a", "y");
        request.method = (char *)"measureit";
        plan = make_plan(&request, draw_seed());
        assert_int_equal(plan->n_benchmarks, 3);
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].name, PLAN_NOTHING);
        for (size_t i = 0; i < 3; i++) {
                assert_int_equal(!(plan->benchmarks[i].options & RUNNER_OPTION_NOTHING), i > 0);
                assert_int_equal(plan->benchmarks[i].processes, 1);
                assert_int_equal(plan->benchmarks[i].schedule.iterations, 1000);
        }
        assert_int_equal(plan->n_processes, 3);
        assert_int_equal(plan->target_ns, 0);
}

static void a_module_names_its_method_and_the_command_line_another(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunPlan *plan;

        add_entry("a", "x");
        strcpy(add_entry("a", "y")->method, "mark7");
        plan = make_plan(&request, 1);
        assert_string_equal(plan->benchmarks[0].method->name, "benchd");
        assert_string_equal(plan->benchmarks[1].method->name, "mark7");
        assert_true(plan->benchmarks[1].options & RUNNER_OPTION_UNPRIMED);
        assert_int_equal(plan->n_processes, 11);
        run_plan_free(plan);
        request.method = (char *)"macro";
        plan = make_plan(&request, 1);
        assert_string_equal(plan->benchmarks[1].method->name, "macro");
        assert_false(plan->benchmarks[1].options & RUNNER_OPTION_UNPRIMED);
        run_plan_free(plan);
}

static void what_has_no_method_or_not_for_the_request_is_not_run(void **state) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        strcpy(add_entry("a", "x")->method, "mark9");
        strcpy(add_entry("a", "y")->method, "mark7");
        request.quick = true, request.has_quick = true;
        plan = make_plan(&request, 1);
        assert_null(plan->benchmarks[0].method);
        assert_string_equal(plan->benchmarks[1].refused, "quick");
        assert_int_equal(plan->n_processes, 0);
}

static void two_sides_in_turns_are_measured_by_no_other_method(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        RunPlan *plan;

        strcpy(add_entry("a", "x")->method, "measureit");
        request.comparison = &comparison;
        assert_int_equal(run_plan_new(&(PlanInput){ .listing = listing, .old = listing, .threads_max = 4 }, &request, 1,
                                         &plan),
                        0);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->benchmarks[0].method->name, "benchd");
        run_plan_free(plan);
}

static void too_much_is_told_apart(void **state) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        ListingEntry *entry = add_entry("a", "x");
        RunPlan *plan;

        add_range(entry, "n", 1, INT64_C(1) << 21, 2);
        add_range(entry, "m", 1, INT64_C(1) << 20, 2);
        request.has_processes = 1;
        request.processes = 1000;
        assert_int_equal(plan_listing(&request, 1, &plan), PLAN_E_TOO_MANY_PROCESSES);
        request.has_samples = 1;
        request.samples = 4096;
        assert_int_equal(plan_listing(&request, 1, &plan), PLAN_E_TOO_MANY_SAMPLES);
        add_range(entry, "k", 1, INT64_C(1) << 62, 2);
        add_range(entry, "l", 1, INT64_C(1) << 62, 2);
        assert_int_equal(plan_listing(&request, 1, &plan), PLAN_E_TOO_MANY_BENCHMARKS);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(the_default_is_that_of_the_manual, set_up, tear_down),
                cmocka_unit_test_setup_teardown(quick_wins_over_the_module_and_the_command_line_over_both, set_up,
                                tear_down),
                cmocka_unit_test(a_range_goes_by_its_factor_and_ends_with_its_last),
                cmocka_unit_test_setup_teardown(arguments_are_multiplied_and_filtered, set_up, tear_down),
                cmocka_unit_test_setup_teardown(every_round_runs_every_benchmark_once, set_up, tear_down),
                cmocka_unit_test_setup_teardown(the_seed_decides_and_nothing_else_does, set_up, tear_down),
                cmocka_unit_test_setup_teardown(more_than_a_group_of_samples_is_cut_into_groups, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_fixed_layout_is_nought_and_keeps_the_order, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_cold_has_one_iteration_and_no_warm_up_but_one_that_is_asked_for,
                                set_up, tear_down),
                cmocka_unit_test_setup_teardown(options_of_every_process_reach_its_plan, set_up, tear_down),
                cmocka_unit_test_setup_teardown(hidden_runs_only_when_written_out, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_counts_comes_after_all_that_is_timed, set_up, tear_down),
                cmocka_unit_test_setup_teardown(each_number_of_threads_is_a_benchmark_and_the_command_line_knows_one,
                                set_up, tear_down),
                cmocka_unit_test_setup_teardown(more_threads_than_the_machine_has_cpus_for_are_not_run, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(the_samples_of_all_threads_fit_a_block, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_subtracts_an_empty_loop_has_it_as_its_first_benchmark, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(a_module_names_its_method_and_the_command_line_another, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(what_has_no_method_or_not_for_the_request_is_not_run, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(two_sides_in_turns_are_measured_by_no_other_method, set_up, tear_down),
                cmocka_unit_test_setup_teardown(too_much_is_told_apart, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
