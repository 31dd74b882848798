/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Which benchmarks of two modules are compared: those of one name, with the arguments that both have; or the two that are
 * named. What only one of them has is told.
 */

#include "front/plan/pairing.h"

#include "planning.h"

/* Returns as plan_new() does. */
static int try_compare(void) {
        request.comparison = &comparison;
        return try_plan(1);
}

static void compare(void) {
        assert_int_equal(try_compare(), 0);
}

/* The two sides of the benchmark that is compared. */
static void assert_pairs(const char *name, const char *old_area, const char *old_name) {
        const PlanEntry *entry = &plan->entries[plan->benchmarks[0].entry];

        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(entry->name, name);
        assert_string_equal(entry->old.area, old_area);
        assert_string_equal(entry->old.name, old_name);
}

TEST(benchmarks_of_one_name_are_compared_and_the_others_are_told) {
        add_entry(listing, "a", "both");
        add_entry(listing, "a", "only_new");
        add_entry(old_listing, "b", "both");
        add_entry(old_listing, "a", "both");
        compare();
        assert_pairs("both", "a", "both");
        assert_int_equal(plan->n_only_new, 1);
        assert_string_equal(plan->unpaired[0].text, "a/only_new");
        assert_int_equal(plan->n_unpaired, 2);
        assert_string_equal(plan->unpaired[1].text, "b/both");
}

TEST(a_name_that_each_side_has_once_is_compared_across_areas) {
        add_entry(listing, "second", "x");
        add_entry(listing, "second", "twice_in_old");
        add_entry(listing, "second", "twice_in_new");
        add_entry(listing, "third", "twice_in_new");
        add_entry(old_listing, "first", "x");
        add_entry(old_listing, "first", "twice_in_old");
        add_entry(old_listing, "other", "twice_in_old");
        add_entry(old_listing, "first", "twice_in_new");
        compare();
        assert_pairs("x", "first", "x");
        assert_int_equal(plan->n_only_new, 3);
        assert_int_equal(plan->n_unpaired, 6);
}

TEST(a_sweep_is_compared_where_both_have_the_argument_and_the_others_are_told) {
        static const char *const unpaired[] = { "a/x/n=1", "a/x/n=2", "a/x/n=32", "a/x/n=64" };

        add_range(add_entry(listing, "a", "x"), "n", 1, 16, 2);
        add_range(add_entry(old_listing, "a", "x"), "n", 4, 64, 2);
        compare();
        assert_int_equal(plan->n_benchmarks, 3);
        for (size_t i = 0; i < 3; i++)
                assert_int_equal(plan->benchmarks[i].args[0].integer, 4 << i);
        assert_int_equal(plan->n_unpaired, N_ELEMENTS(unpaired));
        assert_int_equal(plan->n_only_new, 2);
        for (size_t i = 0; i < N_ELEMENTS(unpaired); i++)
                assert_string_equal(plan->unpaired[i].text, unpaired[i]);
}

TEST(what_runs_on_several_cpus_is_left_out_and_counted) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        entry->n_threads = 2;
        entry->threads[0] = 1;
        entry->threads[1] = 2;
        add_entry(old_listing, "a", "x");
        add_entry(listing, "a", "y")->cpus = 2;
        add_entry(old_listing, "a", "y");
        compare();
        assert_int_equal(plan->n_benchmarks, 1);
        assert_int_equal(plan->benchmarks[0].threads, 1);
        assert_int_equal(plan->n_of_cpus, 2);
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(threads_are_left_out_of_commands_too) {
        char *text = (char *)"true";

        request.commands = &text;
        request.n_commands = 1;
        add_entry(listing, "a", "x")->n_threads = 1;
        listing->entries[0].threads[0] = 2;
        add_entry(old_listing, "a", "x");
        add_entry(listing, "a", "y")->cpus = 2;
        add_entry(old_listing, "a", "y");
        compare();
        assert_pairs("y", "a", "y");
        assert_int_equal(plan->benchmarks[0].cpus, 2);
        assert_int_equal(plan->n_of_cpus, 1);
}

TEST(arguments_of_another_name_are_not_the_same) {
        add_range(add_entry(listing, "a", "x"), "n", 1, 16, 2);
        add_range(add_entry(old_listing, "a", "x"), "m", 1, 16, 2);
        assert_int_equal(try_compare(), PLAN_E_NOTHING_IN_COMMON);
}

TEST(two_benchmarks_that_are_named_are_compared) {
        comparison.benchmark = (char *)"a/x";
        comparison.new_benchmark = (char *)"a/y";
        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y");
        add_entry(old_listing, "a", "x");
        add_entry(old_listing, "a", "y");
        compare();
        assert_pairs("y", "a", "x");
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(a_name_that_the_old_side_does_not_have_is_refused) {
        comparison.benchmark = (char *)"a/y";
        comparison.new_benchmark = (char *)"a/x";
        add_entry(listing, "a", "x");
        add_entry(old_listing, "a", "x");
        assert_int_equal(try_compare(), PLAN_E_NO_OLD_OF_THAT_NAME);
}

TEST(of_a_benchmark_that_is_named_the_filters_leave_what_they_mean) {
        char *filters[] = { (char *)"*/n=4" };
        ListingEntry *hidden = add_entry(listing, "a", "y");

        hidden->hidden = 1;
        add_range(hidden, "n", 1, 16, 2);
        add_range(add_entry(listing, "a", "x"), "n", 1, 16, 2);
        add_range(add_entry(old_listing, "a", "x"), "n", 1, 16, 2);
        comparison.benchmark = (char *)"a/x";
        comparison.new_benchmark = (char *)"a/y";
        request.filters = filters, request.n_filters = N_ELEMENTS(filters);
        compare();
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->entries[plan->benchmarks[0].entry].name, "y");
        assert_int_equal(plan->benchmarks[0].args[0].integer, 4);
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(of_an_old_side_only_what_is_chosen_counts) {
        char *filters[] = { (char *)"x" };
        ListingEntry *endless;

        add_entry(listing, "a", "x");
        add_entry(old_listing, "a", "x");
        endless = add_entry(old_listing, "a", "endless");
        for (size_t i = 0; i < 3; i++)
                add_range(endless, (const char *[]){ "i", "j", "k" }[i], 1, INT64_C(1) << 25, 2);
        assert_int_equal(try_compare(), PLAN_E_TOO_MANY_BENCHMARKS);
        add_range(endless, "l", 1, INT64_MAX, 2); /* 26 * 26 * 26 * 64: more than could be looked through */
        request.filters = filters;
        request.n_filters = 1;
        compare();
        assert_int_equal(plan->n_benchmarks, 1);
        assert_int_equal(plan->n_unpaired, 0);
}

TEST(texts_are_paired_by_their_value) {
        add_entry(listing, "a", "x")->axes[0] =
                        (ListingAxis){ .name = "s", .kind = ARGUMENT_TEXT, .n_values = 3, .texts = { "p", "q", "r" } };
        add_entry(old_listing, "a", "x")->axes[0] =
                        (ListingAxis){ .name = "s", .kind = ARGUMENT_TEXT, .n_values = 2, .texts = { "r", "q" } };
        listing->entries[0].n_axes = old_listing->entries[0].n_axes = 1;
        compare();
        assert_int_equal(plan->n_benchmarks, 2);
        assert_string_equal(plan->benchmarks[0].args[0].text, "q");
        assert_string_equal(plan->benchmarks[1].args[0].text, "r");
        assert_int_equal(plan->n_unpaired, 1);
        assert_string_equal(plan->unpaired[0].text, "a/x/s=p");
}

TEST(both_sides_begin_equally_often) {
        size_t n_first = 0;

        add_entry(listing, "a", "x");
        add_entry(old_listing, "a", "x");
        compare();
        assert_int_equal(plan->n_sides, 2);
        for (size_t i = 0; i < plan->n_processes; i++)
                n_first += plan->processes[i].first_side;
        assert_int_equal(2 * n_first, plan->n_processes);
}
