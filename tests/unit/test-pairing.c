/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Which benchmarks of two modules are compared: those of one name, with the arguments that both have; or the two that are
 * named. What only one of them has is told.
 */

#include "front/plan/pairing.h"

#include "listing.h"
#include "test.h"

static ListingBlock *new, *old;

static int set_up(void **state) {
        new = calloc(1, sizeof *new);
        old = calloc(1, sizeof *old);
        return new &&old ? 0 : -1;
}

static int tear_down(void **state) {
        free(new);
        free(old);
        return 0;
}

static RunPlan *compare(Benchd__Comparison *comparison) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunPlan *plan;

        request.comparison = comparison;
        assert_int_equal(plan_sides(new, old, 2, &request, 1, &plan), 0);
        return plan;
}

TEST(benchmarks_of_one_name_are_compared_and_the_others_are_told, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;

        add_entry(new, "a", "both");
        add_entry(new, "a", "only_new");
        add_entry(old, "b", "both");
        add_entry(old, "a", "both");
        plan = compare(&comparison);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].name, "both");
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].old.area, "a");
        assert_int_equal(plan->n_only_new, 1);
        assert_string_equal(plan->unpaired[0].text, "a/only_new");
        assert_int_equal(plan->n_unpaired, 2);
        assert_string_equal(plan->unpaired[1].text, "b/both");
}

TEST(a_name_that_each_side_has_once_is_compared_across_areas, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;

        add_entry(new, "second", "x");
        add_entry(new, "second", "twice_in_old");
        add_entry(new, "second", "twice_in_new");
        add_entry(new, "third", "twice_in_new");
        add_entry(old, "first", "x");
        add_entry(old, "first", "twice_in_old");
        add_entry(old, "other", "twice_in_old");
        add_entry(old, "first", "twice_in_new");
        plan = compare(&comparison);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].name, "x");
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].old.area, "first");
        assert_int_equal(plan->n_only_new, 3);
        assert_int_equal(plan->n_unpaired, 6);
}

TEST(a_sweep_is_compared_where_both_have_the_argument_and_the_others_are_told, set_up, tear_down) {
        static const char *const unpaired[] = { "a/x/n=1", "a/x/n=2", "a/x/n=32", "a/x/n=64" };
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;

        add_range(add_entry(new, "a", "x"), "n", 1, 16, 2);
        add_range(add_entry(old, "a", "x"), "n", 4, 64, 2);
        plan = compare(&comparison);
        assert_int_equal(plan->n_benchmarks, 3);
        for (size_t i = 0; i < 3; i++)
                assert_int_equal(plan->benchmarks[i].args[0].integer, 4 << i);
        assert_int_equal(plan->n_unpaired, N_ELEMENTS(unpaired));
        assert_int_equal(plan->n_only_new, 2);
        for (size_t i = 0; i < N_ELEMENTS(unpaired); i++)
                assert_string_equal(plan->unpaired[i].text, unpaired[i]);
}

TEST(what_runs_on_several_cpus_is_left_out_and_counted, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;
        ListingEntry *entry = add_entry(new, "a", "x");

        entry->n_threads = 2;
        entry->threads[0] = 1;
        entry->threads[1] = 2;
        add_entry(old, "a", "x");
        add_entry(new, "a", "y")->cpus = 2;
        add_entry(old, "a", "y");
        plan = compare(&comparison);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_int_equal(plan->benchmarks[0].threads, 1);
        assert_int_equal(plan->n_of_cpus, 2);
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(arguments_of_another_name_are_not_the_same, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunPlan *plan;

        add_range(add_entry(new, "a", "x"), "n", 1, 16, 2);
        add_range(add_entry(old, "a", "x"), "m", 1, 16, 2);
        request.comparison = &comparison;
        assert_int_equal(plan_sides(new, old, 2, &request, 1, &plan), PLAN_E_NOTHING_IN_COMMON);
}

TEST(two_benchmarks_that_are_named_are_compared, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;

        comparison.benchmark = (char *)"a/x";
        comparison.new_benchmark = (char *)"a/y";
        add_entry(new, "a", "x");
        add_entry(new, "a", "y");
        add_entry(old, "a", "x");
        add_entry(old, "a", "y");
        plan = compare(&comparison);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].name, "y");
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].old.name, "x");
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(a_name_that_the_old_side_does_not_have_is_refused, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunPlan *plan;

        comparison.benchmark = (char *)"a/y";
        comparison.new_benchmark = (char *)"a/x";
        request.comparison = &comparison;
        add_entry(new, "a", "x");
        add_entry(old, "a", "x");
        assert_int_equal(plan_sides(new, old, 2, &request, 1, &plan), PLAN_E_NO_OLD_OF_THAT_NAME);
}

TEST(of_a_benchmark_that_is_named_the_filters_leave_what_they_mean, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        char *filters[] = { (char *)"*/n=4" };
        _cleanup_(plan_freep) RunPlan *plan = NULL;
        ListingEntry *hidden = add_entry(new, "a", "y");

        hidden->hidden = 1;
        add_range(hidden, "n", 1, 16, 2);
        add_range(add_entry(new, "a", "x"), "n", 1, 16, 2);
        add_range(add_entry(old, "a", "x"), "n", 1, 16, 2);
        comparison.benchmark = (char *)"a/x";
        comparison.new_benchmark = (char *)"a/y";
        request.comparison = &comparison;
        request.filters = filters;
        request.n_filters = N_ELEMENTS(filters);
        assert_int_equal(plan_sides(new, old, 2, &request, 1, &plan), 0);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].name, "y");
        assert_int_equal(plan->benchmarks[0].args[0].integer, 4);
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(of_an_old_side_only_what_is_chosen_counts, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        char *filters[] = { (char *)"x" };
        ListingEntry *endless;
        RunPlan *plan;

        add_entry(new, "a", "x");
        add_entry(old, "a", "x");
        endless = add_entry(old, "a", "endless");
        for (size_t i = 0; i < 3; i++)
                add_range(endless, (const char *[]){ "i", "j", "k" }[i], 1, INT64_C(1) << 25, 2);
        request.comparison = &comparison;
        assert_int_equal(plan_sides(new, old, 2, &request, 1, &plan), PLAN_E_TOO_MANY_BENCHMARKS);
        add_range(endless, "l", 1, INT64_MAX, 2); /* 26 * 26 * 26 * 64: more than could be looked through */
        request.filters = filters;
        request.n_filters = 1;
        assert_int_equal(plan_sides(new, old, 2, &request, 1, &plan), 0);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_int_equal(plan->n_unpaired, 0);
        plan_free(plan);
}

TEST(texts_are_paired_by_their_value, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;

        add_entry(new, "a", "x")->axes[0] =
                        (ListingAxis){ .name = "s", .kind = ARGUMENT_TEXT, .n_values = 3, .texts = { "p", "q", "r" } };
        add_entry(old, "a", "x")->axes[0] =
                        (ListingAxis){ .name = "s", .kind = ARGUMENT_TEXT, .n_values = 2, .texts = { "r", "q" } };
        new->entries[0].n_axes = old->entries[0].n_axes = 1;
        plan = compare(&comparison);
        assert_int_equal(plan->n_benchmarks, 2);
        assert_string_equal(plan->benchmarks[0].args[0].text, "q");
        assert_string_equal(plan->benchmarks[1].args[0].text, "r");
        assert_int_equal(plan->n_unpaired, 1);
        assert_string_equal(plan->unpaired[0].text, "a/x/s=p");
}

TEST(both_sides_begin_equally_often, set_up, tear_down) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        _cleanup_(plan_freep) RunPlan *plan = NULL;
        size_t n_first = 0;

        add_entry(new, "a", "x");
        add_entry(old, "a", "x");
        plan = compare(&comparison);
        assert_int_equal(plan->n_sides, 2);
        for (size_t i = 0; i < plan->n_processes; i++)
                n_first += plan->processes[i].first_side;
        assert_int_equal(2 * n_first, plan->n_processes);
}
