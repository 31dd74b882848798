/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The benchmarks that filters choose: as each filter alone says, in slices that stay short. */

#include "front/plan/chosen.h"

#include "listing.h"
#include "ops/arguments.h"

#define FILTERS_MAX   64u
#define LARGEST_NAMES (40u * 250)

/* Ten thousand names, as long as they may be: 40 benchmarks of 250 sets. */
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

/* Returns as chosen_step() does at last. */
static int choose_all(Chosen *chosen) {
        int r = CHOSEN_E_MORE;

        while (r == CHOSEN_E_MORE)
                r = chosen_step(chosen, NULL);
        return r;
}

TEST(the_largest_question_is_answered_in_slices) {
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
                if (n_bytes * LARGEST_NAMES > CHOSEN_PRODUCT_MAX)
                        break;
                filters[wish.filters.n_filters++] = filter;
        }
        strcpy(filters[0], "*00[0-3]7/*"); /* the benchmarks 7, 17, 27 and 37 */
        assert_int_equal(chosen_new(&wish, &chosen), 0);
        assert_true(choose_in_slices(chosen,
                                    CHOSEN_NAME_WORK + FILTER_PATH_MAX * 5 * (2 + RUNNER_ARGS_MAX) * FILTERS_MAX) > 10);
        assert_int_equal(chosen_count_names(chosen), LARGEST_NAMES);
        for (uint32_t i = 0; i < listing->n_entries; i++)
                n_chosen += chosen_count(chosen, i);
        assert_int_equal(n_chosen, 4 * 250);
}

TEST(what_is_beyond_the_budget_is_refused) {
        _cleanup_(freep) ListingBlock *listing = largest_listing();
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        char text[FILTER_BYTES_MAX + 1], *filters[FILTERS_MAX];
        ChosenWish wish = { .listing = listing, .filters = { filters, FILTERS_MAX } };

        memset(text, '*', FILTER_BYTES_MAX);
        text[FILTER_BYTES_MAX] = '\0';
        for (size_t i = 0; i < FILTERS_MAX; i++)
                filters[i] = text;
        assert_int_equal(chosen_new(&wish, &chosen), 0);
        assert_int_equal(choose_all(chosen), CHOSEN_E_TOO_MUCH);
        assert_int_equal(chosen_count_names(chosen), LARGEST_NAMES);
        chosen = chosen_free(chosen);

        wish.lists = true; /* 40 benchmarks */
        assert_int_equal(chosen_new(&wish, &chosen), 0);
        (void)choose_in_slices(chosen, CHOSEN_NAME_WORK + FILTER_PATH_MAX * 5 * (2 + RUNNER_ARGS_MAX) * FILTERS_MAX);
        assert_int_equal(chosen_count_names(chosen), 40);
        for (uint32_t i = 0; i < 40; i++)
                assert_int_equal(chosen_count(chosen, i), 1);
}

TEST(a_hidden_benchmark_is_chosen_by_its_name_or_where_all_are) {
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
                assert_int_equal(choose_all(chosen), 0);
                assert_int_equal(chosen_next(chosen, 0, 0, &set), rows[i].has);
                assert_int_equal(set, rows[i].has ? 0 : 1);
                assert_false(chosen_next(chosen, 0, 1, &set));
        }
}

/* 64 to the fourth power. */
static void add_endless(ListingBlock *listing) {
        ListingEntry *endless = add_entry(listing, "a", "endless");

        for (size_t i = 0; i < RUNNER_ARGS_MAX; i++)
                add_range(endless, (const char *[]){ "i", "j", "k", "l" }[i], 1, INT64_MAX, 2);
}

TEST(names_that_no_filter_can_mean_cost_nothing) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        char *x[] = { (char *)"x" }, *of_all[] = { (char *)"*/i=4" };
        const struct {
                ChosenWish wish;
                int outcome;
                size_t n_names;
        } rows[] = {
                { { .listing = listing, .filters = { x, 1 } }, 0, 1 },
                { { .listing = listing }, CHOSEN_E_TOO_MANY, 1 + (64u << 18) },
                { { .listing = listing, .filters = { of_all, 1 } }, CHOSEN_E_TOO_MANY, 64u << 18 },
                { { .listing = listing, .filters = { of_all, 1 }, .lists = true }, 0, 1 },
                { { .listing = listing, .lists = true }, 0, 2 },
        };

        add_endless(listing);
        add_entry(listing, "a", "x");
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(chosen_freep) Chosen *chosen = NULL;

                assert_int_equal(chosen_new(&rows[i].wish, &chosen), 0);
                assert_int_equal(choose_all(chosen), rows[i].outcome);
                assert_int_equal(chosen_count_names(chosen), rows[i].n_names);
        }
}

TEST(chosen_sets_are_found_one_after_the_other) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        char *filters[] = { (char *)"*/m=2" };
        ListingEntry *entry = add_entry(listing, "a", "x");
        size_t set, n = 0;

        add_range(entry, "n", 1, 8, 2);
        add_range(entry, "m", 1, 4, 2);
        assert_int_equal(chosen_new(&(ChosenWish){ .listing = listing, .filters = { filters, 1 } }, &chosen), 0);
        assert_int_equal(choose_all(chosen), 0);
        assert_int_equal(chosen_count(chosen, 0), 4);
        for (set = 0; chosen_next(chosen, 0, set, &set); set++)
                assert_int_equal(set, 3 * n++ + 1);
        assert_int_equal(n, 4);
}
