/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which benchmarks are run: what the filters mean, with their arguments and numbers of threads. */

#include "front/plan/selection.h"

#include "front/plan/pairing.h"
#include "planning.h"

TEST(arguments_are_multiplied_and_filtered) {
        char *filters[] = { (char *)"*/*/m=9", (char *)"!*/n=4" };
        ListingEntry *entry = add_entry(listing, "a", "x");

        add_range(entry, "n", 1, 8, 2);
        add_range(entry, "m", 1, 9, 3);
        add_entry(listing, "a", "y");
        request.filters = filters;
        request.n_filters = 2;
        plan_again(1);
        assert_int_equal(plan->n_entries, 1);
        assert_int_equal(plan->n_benchmarks, 3);
        for (size_t i = 0; i < 3; i++) {
                static const int64_t n[] = { 1, 2, 8 };

                assert_int_equal(plan->benchmarks[i].args[0].integer, n[i]);
                assert_int_equal(plan->benchmarks[i].args[1].integer, 9);
        }
        assert_string_equal(plan->entries[0].arg_names[1], "m");
}

TEST(hidden_runs_only_when_written_out) {
        char *filters[] = { (char *)"x" };

        add_entry(listing, "a", "x")->hidden = 1;
        assert_int_equal(try_plan(1), PLAN_E_NO_MATCH);
        request.filters = filters;
        request.n_filters = 1;
        plan_again(1);
}

TEST(each_number_of_threads_is_a_benchmark_and_the_command_line_knows_one) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        add_entry(listing, "a", "y");
        entry->n_threads = 2;
        entry->threads[0] = 1;
        entry->threads[1] = 4;
        plan_again(1);
        assert_int_equal(plan->n_benchmarks, 3);
        assert_int_equal(plan->n_processes, 3 * 36);
        assert_int_equal(plan->benchmarks[0].threads, 1);
        assert_int_equal(plan->benchmarks[1].threads, 4);
        assert_int_equal(plan->benchmarks[2].threads, 1);

        request.threads = 3, request.has_threads = 1;
        plan_again(1);
        assert_int_equal(plan->n_benchmarks, 2);
        assert_int_equal(plan->benchmarks[0].threads, 3);
        assert_int_equal(plan->benchmarks[1].threads, 3);
}

TEST(more_threads_than_the_machine_has_cpus_for_are_not_run) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        entry->n_threads = 2;
        entry->threads[0] = 4;
        entry->threads[1] = 5;
        plan_again(1);
        assert_int_equal(plan->n_processes, 36);
        assert_false(plan->benchmarks[0].too_many_cpus);
        assert_true(plan->benchmarks[1].too_many_cpus && plan->benchmarks[1].skipped);
}

TEST(a_request_for_more_threads_than_that_is_not_skipped_over) {
        add_entry(listing, "a", "x");
        request.has_threads = true;
        request.threads = 5;
        plan_again(1);
        assert_true(plan->benchmarks[0].too_many_cpus && !plan->benchmarks[0].skipped);
}

TEST(cpus_are_those_of_the_request_then_of_the_module_then_one_a_thread) {
        add_entry(listing, "a", "x")->cpus = 3;
        add_entry(listing, "a", "y");
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].cpus, 3);
        assert_int_equal(plan->benchmarks[1].cpus, 1);
        assert_true(plan_has_own_cpus(plan));

        request.cpus_per_run = 1, request.has_cpus_per_run = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].cpus, 1);
        assert_false(plan_has_own_cpus(plan));

        request.threads = 2, request.has_threads = 1;
        plan_again(1);
        assert_int_equal(plan->benchmarks[0].cpus, 2);
        assert_false(plan->benchmarks[0].shares_cpus);
}

TEST(more_cpus_than_there_are_are_not_run_and_skipped_where_the_module_asks) {
        add_entry(listing, "a", "x")->cpus = 5;
        plan_again(1);
        assert_true(plan->benchmarks[0].too_many_cpus && plan->benchmarks[0].skipped);
        assert_int_equal(plan->n_processes, 0);

        request.cpus_per_run = 5, request.has_cpus_per_run = 1;
        plan_again(1);
        assert_true(plan->benchmarks[0].too_many_cpus && !plan->benchmarks[0].skipped);
}

TEST(several_threads_share_no_cpus_with_the_bodys_own) {
        ListingEntry *entry = add_entry(listing, "a", "x");

        entry->n_threads = 1;
        entry->threads[0] = 2;
        entry->cpus = 3;
        plan_again(1);
        assert_true(plan->benchmarks[0].shares_cpus && !plan->benchmarks[0].skipped);
        assert_int_equal(plan->n_processes, 0);
}

TEST(what_subtracts_an_empty_loop_has_it_as_its_first_benchmark) {
        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y");
        request.method = (char *)"measureit";
        plan_again(draw_seed());
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

/* x(n = 1, 2, 4) and y in area a, hidden z in area b. */
static void list_three(void) {
        plan_afresh();
        add_range(add_entry(listing, "a", "x"), "n", 1, 4, 2);
        add_entry(listing, "a", "y");
        add_entry(listing, "b", "z")->hidden = LISTING_HIDDEN_ITSELF;
}

static size_t count_references(void) {
        size_t n = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++)
                n += plan->benchmarks[i].reference;
        return n;
}

TEST(a_reference_is_measured_once_whatever_the_filters_leave_out) {
        static const struct {
                const char *given, *filter, *path;
                size_t n_benchmarks;
        } rows[] = {
                { "a/x/n=2", "y", "a/x/n=2", 2 },
                { "x/n=2", "y", "a/x/n=2", 2 },
                { "x/n=2", "x", "a/x/n=2", 3 },
                { "y", "!y", "a/y", 4 },
                { "z", "y", "b/z", 2 },
                { "b/z", "b/z", "b/z", 1 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                list_three();
                request.reference = (char *)rows[i].given;
                request.filters = (char *[]){ (char *)rows[i].filter };
                request.n_filters = 1;
                plan_again(draw_seed());
                assert_string_equal(plan->reference, rows[i].path);
                assert_int_equal(plan->n_benchmarks, rows[i].n_benchmarks);
                assert_int_equal(count_references(), 1);
        }
}

TEST(a_reference_that_is_missing_or_several_is_refused) {
        static const struct {
                const char *given;
                int outcome;
        } rows[] = {
                { "w", PLAN_E_NO_REFERENCE },
                { "a", PLAN_E_NO_REFERENCE },
                { "a/", PLAN_E_NO_REFERENCE },
                { "x/n=", PLAN_E_NO_REFERENCE },
                { "x/n=3", PLAN_E_NO_REFERENCE },
                { "*", PLAN_E_NO_REFERENCE },
                { "", PLAN_E_NO_REFERENCE },
                { "x", PLAN_E_SEVERAL_REFERENCES },
                { "a/x", PLAN_E_SEVERAL_REFERENCES },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                list_three();
                request.reference = (char *)rows[i].given;
                assert_int_equal(try_plan(1), rows[i].outcome);
        }
}

TEST(the_modules_own_reference_is_that_of_an_empty_name_and_of_scaled_tables) {
        list_three();
        listing->entries[1].reference = 1;
        request.filters = (char *[]){ (char *)"x/n=4" };
        request.n_filters = 1;
        plan_again(1);
        assert_null(plan->reference);
        assert_int_equal(plan->n_benchmarks, 1);

        request.reference = (char *)"";
        plan_again(1);
        assert_string_equal(plan->reference, "a/y");
        assert_int_equal(plan->n_benchmarks, 2);

        request.reference = NULL;
        request.method = (char *)"measureit";
        plan_again(1);
        assert_string_equal(plan->reference, "a/y");
        assert_int_equal(plan->n_benchmarks, 3); /* NOTHING too */

        request.filters[0] = (char *)"nobody"; /* a reference alone is no run */
        assert_int_equal(try_plan(1), PLAN_E_NO_MATCH);
}

TEST(of_a_marked_benchmark_with_arguments_one_that_is_chosen_is_one) {
        list_three();
        listing->entries[0].reference = 1;
        request.method = (char *)"measureit";
        request.filters = (char *[]){ (char *)"x/n=4" };
        request.n_filters = 1;
        plan_again(1);
        assert_string_equal(plan->reference, "a/x/n=4");
        assert_int_equal(plan->n_benchmarks, 2);
        assert_int_equal(count_references(), 1);
}

TEST(a_reference_with_several_numbers_of_threads_has_the_first) {
        list_three();
        listing->entries[1].n_threads = 2;
        listing->entries[1].threads[0] = 2;
        listing->entries[1].threads[1] = 4;
        request.reference = (char *)"y";
        request.filters = (char *[]){ (char *)"x" };
        request.n_filters = 1;
        plan_again(1);
        assert_int_equal(plan->n_benchmarks, 4);
        assert_true(plan->benchmarks[3].reference);
        assert_int_equal(plan->benchmarks[3].threads, 2);
}

TEST(two_sides_in_turns_are_measured_by_no_other_method) {
        strcpy(add_entry(listing, "a", "x")->method, "measureit");
        request.comparison = &comparison;
        assert_int_equal(plan_sides(listing, listing, 4, &request, 1, &plan), 0);
        assert_int_equal(plan->n_benchmarks, 1);
        assert_string_equal(plan->benchmarks[0].method->name, "benchd");
}

TEST(a_name_without_its_area_is_of_the_only_benchmark_that_has_it) {
        const ListingEntry *one = add_entry(listing, "a", "one"), *lone = add_entry(listing, "a", "lone");

        add_entry(listing, "b", "one");
        assert_ptr_equal(pairing_find_named(listing, "lone"), lone);
        assert_ptr_equal(pairing_find_named(listing, "a/lone"), lone);
        assert_ptr_equal(pairing_find_named(listing, "a/one"), one);
        assert_null(pairing_find_named(listing, "one"));
        assert_int_equal(pairing_count_named(listing, "one"), 2);
        assert_null(pairing_find_named(listing, "b/lone"));
        assert_null(pairing_find_named(listing, "lon"));
        assert_int_equal(pairing_count_named(listing, "lon"), 0);
}
