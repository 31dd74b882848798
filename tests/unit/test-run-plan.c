/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The plan of a run as a whole: what is too much for it, what of it reaches each process, and the order of its processes: in
 * rounds, shuffled as the seed decides, within groups.
 */

#include "front/plan/plan.h"

#include "front/jobs/spawn.h"
#include "front/plan/asked.h"
#include "planning.h"
#include "util/time.h"

TEST(options_of_every_process_reach_its_plan) {
        static OpsRecord record;

        add_entry(listing, "a", "x");
        request.trace = request.has_trace = 1;
        request.no_prime = request.has_no_prime = 1;
        request.has_cold = 1;
        plan_again(1);
        spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = NS_PER_S, .run = &request }, plan,
                        &plan->processes[0], &record);
        assert_int_equal(record.spawn.plan.options, RUNNER_OPTION_TRACE | RUNNER_OPTION_NO_PRIME);
        assert_int_equal(ops_check(&record, 0), 0);
}

TEST(an_option_that_is_the_runner_s_has_its_own_place_in_the_plan) {
        static const struct {
                const char *name;
                uint32_t flag;
        } rows[] = {
                { "cold", RUNNER_OPTION_COLD },
                { "no-prime", RUNNER_OPTION_NO_PRIME },
                { "no-aslr", RUNNER_OPTION_NO_ASLR },
                { "trace", RUNNER_OPTION_TRACE },
                { "prepare", RUNNER_OPTION_UNPREPARED },
                { "clock", RUNNER_OPTION_CPU_TIME },
                { "quick", 0 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const RunOption *option = run_option_find(rows[i].name);

                run_request_set_number(&request, option, 1);
                assert_int_equal(asked_flags(&request), rows[i].flag);
                run_request_set_number(&request, option, 0);
        }
        request.stack_bytes = 77, request.has_stack_bytes = 1;
        assert_int_equal(asked_numbers(&request).stack_bytes, 77);
}

TEST(cpus_of_its_own_threads_reach_what_is_timed_and_not_what_counts) {
        static OpsRecord record;

        add_entry(listing, "a", "x");
        request.cpus_per_run = 3, request.has_cpus_per_run = 1;
        request.memory = request.has_memory = 1;
        plan_again(1);
        for (size_t i = 0; i < plan->n_processes; i++) {
                spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = NS_PER_S, .run = &request }, plan,
                                &plan->processes[i], &record);
                assert_int_equal(record.spawn.plan.n_threads, 1);
                assert_int_equal(record.spawn.plan.own_cpus, plan->processes[i].counts ? 0 : 2);
                assert_int_equal(ops_check(&record, 0), 0);
        }
}

static uint64_t warmup_after(size_t index, bool after_others) {
        const Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;
        const SpawnJob job = { .tickets = { 1 },
                .timeout_max_ns = NS_PER_S,
                .run = &run,
                .after_others = after_others };
        static OpsRecord record;

        spawn_run(&job, plan, &plan->processes[index], &record);
        assert_int_equal(ops_check(&record, 0), 0);
        return record.spawn.plan.schedule.warmup_min_ns;
}

static uint64_t warmup_of(size_t index) {
        return warmup_after(index, false);
}

TEST(the_first_process_of_a_run_or_after_others_warms_up_for_longer_unless_it_is_told_how_long) {
        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y");
        plan_again(1);
        assert_int_equal(warmup_of(0), 20 * NS_PER_MS);
        assert_int_equal(warmup_after(1, true), 20 * NS_PER_MS);
        for (size_t i = 1; i < plan->n_processes; i++)
                assert_int_equal(warmup_of(i), 8 * NS_PER_MS);

        request.warmup_ns = 3 * NS_PER_MS, request.has_warmup_ns = 1;
        plan_again(1);
        assert_int_equal(warmup_of(0), 3 * NS_PER_MS);
}

TEST(too_much_is_told_apart) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        add_range(entry, "n", 1, INT64_C(1) << 21, 2);
        add_range(entry, "m", 1, INT64_C(1) << 20, 2);
        request.has_processes = 1;
        request.processes = 1000;
        assert_int_equal(try_plan(1), PLAN_E_TOO_MANY_PROCESSES);
        request.has_samples = 1;
        request.samples = 4096;
        assert_int_equal(try_plan(1), PLAN_E_TOO_MANY_SAMPLES);
        add_range(entry, "k", 1, INT64_C(1) << 25, 2);
        assert_int_equal(try_plan(1), PLAN_E_TOO_MANY_BENCHMARKS);
}

/* 22 * 21 * 26 rows, of which a run measures 10,000 at most. */
TEST(only_the_rows_that_are_chosen_count_against_the_limit) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        add_range(entry, "n", 1, INT64_C(1) << 21, 2);
        add_range(entry, "m", 1, INT64_C(1) << 20, 2);
        add_range(entry, "k", 1, INT64_C(1) << 25, 2);
        request.filters = (char *[]){ (char *)"x/n=8/m=16" };
        request.n_filters = 1;
        assert_int_equal(try_plan(1), 0);
        assert_int_equal(plan->n_benchmarks, 26);
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                assert_int_equal(plan->benchmarks[i].args[0].integer, 8);
                assert_int_equal(plan->benchmarks[i].args[1].integer, 16);
                assert_int_equal(plan->benchmarks[i].args[2].integer, INT64_C(1) << i);
        }
}

/* Each number of threads is a row: of 22 * 21 * 16 sets, twice as many. */
TEST(the_threads_of_a_request_count_in_place_of_the_modules) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        add_range(entry, "n", 1, INT64_C(1) << 21, 2);
        add_range(entry, "m", 1, INT64_C(1) << 20, 2);
        add_range(entry, "k", 1, INT64_C(1) << 15, 2);
        entry->n_threads = 2;
        entry->threads[0] = 1;
        entry->threads[1] = 2;
        assert_int_equal(try_plan(1), PLAN_E_TOO_MANY_BENCHMARKS);
        request.has_threads = 1;
        request.threads = 1;
        assert_int_equal(try_plan(1), 0);
        assert_int_equal(plan->n_benchmarks, 22 * 21 * 16);
}

/* What is kept goes into one reply; on a core that is shared no process goes on further than leaves room for all. */
TEST(samples_that_are_kept_have_a_limit_of_their_own) {
        add_entry(listing, "a", "x");
        request.samples = 1000, request.has_samples = 1;
        request.keep_samples = request.has_keep_samples = 1;
        for (request.processes = 1, request.has_processes = 1; request.processes < 60; request.processes++) {
                const bool fits = request.processes * (1000 + PLAN_KEPT_BESIDE) <= PLAN_KEPT_MAX;

                if (!fits) {
                        assert_int_equal(try_plan(1), PLAN_E_TOO_MANY_KEPT);
                        continue;
                }
                plan_again(1);
                assert_true(plan->benchmarks[0].schedule.samples_most >= 1000);
                assert_true(request.processes * (plan->benchmarks[0].schedule.samples_most + PLAN_KEPT_BESIDE) <=
                                PLAN_KEPT_MAX);
        }
        request.keep_samples = 0;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].processes_first, 60);

        request.has_processes = 0;
        request.keep_samples = 1;
        request.precision = 0.01, request.has_precision = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].processes, PLAN_KEPT_MAX / (1000 + PLAN_KEPT_BESIDE));
}

/* Every round of a plan of equal benchmarks holds each of them once. */
TEST(every_round_runs_every_benchmark_once) {
        size_t n = 37;
        bool moved = false, shifted = false;

        add_range(add_entry(listing, "a", "x"), "n", 1, INT64_C(1) << 36, 2);
        plan_again(draw_seed());
        assert_int_equal(plan->n_benchmarks, n);
        assert_int_equal(plan->n_processes, 3 * 12 * n); /* two in place of each */
        for (size_t round = 0; round < 3 * 12; round++) {
                bool seen[37] = {};

                for (size_t i = 0; i < n; i++) {
                        const PlanProcess *process = &plan->processes[round * n + i];

                        assert_false(seen[process->benchmark]);
                        seen[process->benchmark] = true;
                        moved |= process->benchmark != i;
                        assert_true(process->stack_offset_bytes % 16 == 0 && process->stack_offset_bytes < 4096);
                        assert_true(process->environment_padding_bytes < 4096);
                        assert_true(process->heap_offset_bytes % 16 == 0 && process->heap_offset_bytes < 4096);
                        assert_true(process->heap_offset_pages < RUNNER_OFFSET_PAGES_MAX);
                        assert_true(process->mapping_offset_pages < RUNNER_OFFSET_PAGES_MAX);
                        shifted |= process->heap_offset_pages != process->mapping_offset_pages;
                }
        }
        assert_true(moved);
        assert_true(shifted);
}

/* Each benchmark, whatever it is beside, in as many processes as make each place of its module as often. */
TEST(every_place_of_a_module_comes_as_often_as_the_others) {
        uint64_t seed = draw_seed();
        bool in_another_order = false;

        add_range(add_entry(listing, "a", "x"), "n", 1, 16, 2);
        request.processes = 22, request.has_processes = 1;
        for (uint64_t k = 0; k < 10; k++) {
                uint32_t counts[5][RUNNER_IMAGE_OFFSETS] = {};

                plan_again(seed + k);
                for (size_t i = 0; i < 5 * 22; i++) {
                        uint32_t offset = plan->processes[i].image_offset_bytes;

                        assert_true(offset % 16 == 0 && offset < RUNNER_IMAGE_OFFSET_MAX);
                        counts[plan->processes[i].benchmark][offset / 16]++;
                        in_another_order |= i >= 5 && i < 20 && offset != i / 5 * 16;
                }
                for (size_t i = 0; i < 5; i++)
                        for (size_t place = 0; place < RUNNER_IMAGE_OFFSETS; place++)
                                assert_in_range(counts[i][place], 5, 6);
        }
        assert_true(in_another_order);
}

static void compare_both(void) {
        add_entry(old_listing, "a", "x");
        add_entry(old_listing, "a", "y");
        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y")->processes = 8;
        request.comparison = &comparison;
}

/* 5 rounds, of 20 and of 8 processes; what stands in for others comes in the last. */
TEST(each_round_has_all_processes_of_each_benchmark_and_links_of_its_own) {
        uint32_t n[5][2] = {}, places[5][RUNNER_IMAGE_OFFSETS] = {}, last = 0;

        compare_both();
        request.rounds = 5, request.has_rounds = 1;
        plan_again(draw_seed());
        assert_int_equal(plan->n_rounds, 5);
        assert_int_equal(plan->n_parts, 5);
        assert_int_equal(plan->benchmarks[0].processes_first, 100);
        assert_int_equal(plan->benchmarks[1].processes_first, 40);
        assert_int_equal(plan->benchmarks[0].n_looks, 0);
        for (size_t i = 0; i < plan->n_processes; i++) {
                const PlanProcess *process = &plan->processes[i];
                const uint32_t first = process->benchmark == 0 ? 20 : 8;

                assert_true(process->round >= last);
                assert_int_equal(process->part, process->round);
                assert_int_equal(process->link % 5, process->round);
                last = process->round;
                if (process->turn >= first) {
                        assert_int_equal(process->round, 4);
                        continue;
                }
                n[process->round][process->benchmark]++;
                places[process->round][process->image_offset_bytes / 16]++;
        }
        for (size_t i = 0; i < 5; i++) {
                assert_int_equal(n[i][0], 20);
                assert_int_equal(n[i][1], 8);
                for (size_t place = 0; place < RUNNER_IMAGE_OFFSETS; place++)
                        assert_int_equal(places[i][place], 7);
        }
}

TEST(a_spread_without_rounds_parts_the_pairs) {
        compare_both();
        request.spread_ns = NS_PER_S, request.has_spread_ns = 1;
        plan_again(draw_seed());
        assert_int_equal(plan->n_parts, 20);
        assert_int_equal(plan->benchmarks[0].n_looks, 0);
        for (size_t i = 0; i < plan->n_processes; i++)
                assert_int_equal(plan->processes[i].part, plan->processes[i].turn < 20 ? plan->processes[i].turn : 19);
}

TEST(a_module_that_wants_many_processes_has_as_many_in_each_round_as_there_may_be) {
        compare_both();
        listing->entries[0].processes = 900;
        request.rounds = 50, request.has_rounds = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].processes_first, 1000);
        assert_int_equal(plan->benchmarks[1].processes_first, 400);
}

TEST(a_run_without_rounds_or_spread_is_one_part) {
        compare_both();
        plan_again(1);
        assert_int_equal(plan->n_rounds, 1);
        for (size_t i = 0; i < plan->n_processes; i++) {
                assert_int_equal(plan->processes[i].part, 0);
                assert_int_equal(plan->processes[i].link, plan->processes[i].turn);
        }
}

TEST(the_seed_decides_and_nothing_else_does) {
        uint64_t seed = draw_seed();
        _cleanup_(plan_freep) Plan *a = NULL, *b = NULL, *c = NULL;

        add_range(add_entry(listing, "a", "x"), "n", 1, INT64_C(1) << 36, 2);
        a = make_plan(listing, &request, seed);
        b = make_plan(listing, &request, seed);
        c = make_plan(listing, &request, seed + 1);
        assert_memory_equal(a->processes, b->processes, a->n_processes * sizeof *a->processes);
        assert_memory_not_equal(a->processes, c->processes, a->n_processes * sizeof *a->processes);
}

TEST(more_than_a_group_of_samples_is_cut_into_groups) {
        size_t last_of[8] = {}, first_of[8];

        for (int i = 0; i < 8; i++)
                add_entry(listing, "a", (char[]){ 'a' + i, 0 });
        request.samples = 4096, request.has_samples = 1;
        request.processes = 64, request.has_processes = 1; /* 2^18 samples each, 4 in a group */
        plan_again(1);
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

/* With places of their own ten processes would have four means, and six degrees of freedom instead of nine. */
TEST(commands_have_one_place_in_the_line_and_all_else_drawn) {
        _cleanup_(plan_freep) Plan *made = NULL;
        char *command = (char *)"true";
        bool drawn = false;

        add_entry(listing, "exec", "true");
        request.commands = &command;
        request.n_commands = 1;
        made = make_plan(listing, &request, 9);
        assert_int_equal(made->options, RUNNER_OPTION_COMMANDS);
        for (size_t i = 0; i < made->n_processes; i++) {
                assert_int_equal(made->processes[i].image_offset_bytes, 0);
                drawn |= made->processes[i].stack_offset_bytes != 0;
        }
        assert_true(drawn);
}

TEST(a_fixed_layout_is_nought_and_keeps_the_order) {
        _cleanup_(plan_freep) Plan *random = NULL, *fixed = NULL;

        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y");
        random = make_plan(listing, &request, 9);
        request.no_aslr = request.has_no_aslr = 1;
        fixed = make_plan(listing, &request, 9);
        assert_int_equal(random->options, 0);
        assert_int_equal(fixed->options, RUNNER_OPTION_NO_ASLR);
        assert_int_equal(fixed->n_processes, random->n_processes);
        for (size_t i = 0; i < fixed->n_processes; i++) {
                assert_int_equal(fixed->processes[i].benchmark, random->processes[i].benchmark);
                assert_int_equal(fixed->processes[i].stack_offset_bytes, 0);
                assert_int_equal(fixed->processes[i].environment_padding_bytes, 0);
                assert_int_equal(fixed->processes[i].heap_offset_bytes, 0);
                assert_int_equal(fixed->processes[i].heap_offset_pages, 0);
                assert_int_equal(fixed->processes[i].mapping_offset_pages, 0);
                assert_int_equal(fixed->processes[i].image_offset_bytes, 0);
        }
}

TEST(what_counts_comes_after_all_that_is_timed) {
        size_t n_counting[2] = {};

        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y");
        add_entry(listing, "a", "threaded")->n_threads = 1;
        listing->entries[2].threads[0] = 64;
        request.has_memory = request.memory = 1;
        request.has_processes = 1;
        request.processes = 5;
        plan_again(draw_seed());
        assert_int_equal(plan->n_processes, 32);
        for (size_t i = 0; i < plan->n_processes; i++) {
                assert_int_equal(plan->processes[i].counts, i >= 30);
                assert_in_range(plan->processes[i].benchmark, 0, 1);
                n_counting[plan->processes[i].benchmark] += plan->processes[i].counts;
        }
        assert_int_equal(n_counting[0], 1);
        assert_int_equal(n_counting[1], 1);
}
