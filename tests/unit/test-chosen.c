/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The benchmarks that filters choose: as each filter alone says, in slices that stay short.
 */

#include "front/plan/chosen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "front/plan/plan.h"
#include "listing.h"
#include "ops/arguments.h"

#define FILTERS_MAX 64u

/* As many names as there may be, and as long: 40 benchmarks of 250 sets. */
static ListingBlock *largest_listing(void) {
        ListingBlock *listing = listing_new();

        for (int i = 0; i < 40; i++) {
                char name[RUNNER_NAME_MAX], area[RUNNER_NAME_MAX];
                ListingEntry *entry;

                snprintf(name, sizeof name, "%0*d", RUNNER_NAME_MAX - 1, i);
                memset(area, 'a', sizeof area - 1);
                area[sizeof area - 1] = '\0';
                entry = add_entry(listing, area, name);
                for (int axis = 0; axis < 4; axis++) {
                        snprintf(name, sizeof name, "%0*d", RUNNER_NAME_MAX - 1, axis);
                        add_range(entry, name, INT64_MAX - 4, INT64_MAX, 0);
                        entry->axes[axis].step = 1;
                }
                entry->axes[3].first = INT64_MAX - 1;
        }
        assert_int_equal(selection_count(listing), PLAN_BENCHMARKS_MAX);
        return listing;
}

/* Returns the number of slices, none of which did more than a slice's work and one name's. */
static size_t choose_in_slices(Chosen *chosen, size_t name_work) {
        size_t n = 0, work;
        int r;

        do {
                r = chosen_step(chosen, &work);
                assert_in_range(work, 1, CHOSEN_SLICE_WORK + name_work);
                n++;
        } while (r == CHOSEN_E_MORE);
        assert_int_equal(r, 0);
        return n;
}

static void the_largest_question_is_answered_in_slices(void **state) {
        _cleanup_(freep) ListingBlock *listing = largest_listing();
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        char text[FILTERS_MAX][FILTER_BYTES_MAX + 1] = {}, *filters[FILTERS_MAX];
        ChosenWish wish = { .listing = listing, .filters = { filters, 0 } };
        size_t n_bytes = 0, n_chosen = 0;

        while (wish.filters.n_filters < FILTERS_MAX) {
                char *filter = text[wish.filters.n_filters];

                for (size_t i = 0; i < 19; i++)
                        strcat(filter, "*[[:alnum:]]");
                strcat(filter, "z");
                n_bytes += strlen(filter);
                if (n_bytes * PLAN_BENCHMARKS_MAX > CHOSEN_PRODUCT_MAX)
                        break;
                filters[wish.filters.n_filters++] = filter;
        }
        strcpy(filters[0], "*00[0-3]7/*"); /* the benchmarks 7, 17, 27 and 37 */
        assert_int_equal(chosen_new(&wish, &chosen), 0);
        assert_true(choose_in_slices(chosen, CHOSEN_NAME_WORK + FILTER_PATH_MAX * 10 * FILTERS_MAX) > 10);
        for (uint32_t i = 0; i < listing->n_entries; i++)
                for (size_t set = 0; set < 250; set++)
                        n_chosen += chosen_has(chosen, i, set);
        assert_int_equal(n_chosen, 4 * 250);
}

static void what_is_beyond_the_budget_is_refused(void **state) {
        _cleanup_(freep) ListingBlock *listing = largest_listing();
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        char text[FILTER_BYTES_MAX + 1], *filters[FILTERS_MAX];
        ChosenWish wish = { .listing = listing, .filters = { filters, FILTERS_MAX } };

        memset(text, 'a', FILTER_BYTES_MAX);
        text[FILTER_BYTES_MAX] = '\0';
        for (size_t i = 0; i < FILTERS_MAX; i++)
                filters[i] = text;
        assert_int_equal(chosen_new(&wish, &chosen), CHOSEN_E_TOO_MUCH);
        wish.by_entry = true; /* 40 names */
        assert_int_equal(chosen_new(&wish, &chosen), 0);
        (void)choose_in_slices(chosen, CHOSEN_NAME_WORK + FILTER_PATH_MAX * 10 * FILTERS_MAX);
        assert_false(chosen_has(chosen, 0, 0));
}

static void a_hidden_benchmark_is_chosen_by_its_name_or_where_all_are(void **state) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        char *star[] = { (char *)"*" }, *name[] = { (char *)"x" };
        const struct {
                ChosenWish wish;
                bool has;
        } rows[] = {
                { { .listing = listing, .filters = { star, 1 } }, false },
                { { .listing = listing, .filters = { name, 1 } }, true },
                { { .listing = listing, .filters = { star, 1 }, .of_hidden = true }, true },
                { { .listing = listing }, false },
                { { .listing = listing, .of_hidden = true }, true },
        };

        add_entry(listing, "a", "x")->hidden = LISTING_HIDDEN_ITSELF;
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(chosen_freep) Chosen *chosen = NULL;
                size_t set = 1;

                assert_int_equal(chosen_new(&rows[i].wish, &chosen), 0);
                assert_int_equal(chosen_step(chosen, NULL), 0);
                assert_int_equal(chosen_find(chosen, 0, &set), rows[i].has);
                assert_int_equal(set, rows[i].has ? 0 : 1);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_largest_question_is_answered_in_slices),
                cmocka_unit_test(what_is_beyond_the_budget_is_refused),
                cmocka_unit_test(a_hidden_benchmark_is_chosen_by_its_name_or_where_all_are),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
