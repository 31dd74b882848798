/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names that were probably meant by filters that choose nothing. */

#include "front/plan/near-names.h"

#include "listing.h"

static void assert_near(const ListingBlock *listing, const char *filter, const char *names) {
        const FilterList words = { (char *const[]){ (char *)filter }, 1 };
        char text[NEAR_NAMES_TEXT_MAX];

        assert_int_equal(near_names_write(listing, &words, "#", text) > 0, *names != 0);
        assert_string_equal(text, names);
}

TEST(a_slip_a_part_and_a_glob_in_other_letters_are_near) {
        _cleanup_(freep) ListingBlock *listing = listing_new();

        add_entry(listing, "text", "strlen_1000");
        add_entry(listing, "lib", "hash_short");
        add_entry(listing, "lib", "hash_long");
        assert_near(listing, "STRLEN*", "#text/strlen_1000");
        assert_near(listing, "strln", "#text/strlen_1000");
        assert_near(listing, "strlen_1000/*", "#text/strlen_1000");
        assert_near(listing, "strlen_1000/n=4", "#text/strlen_1000");
        assert_near(listing, "tetx/strlen_1000", "#text/strlen_1000");
        assert_near(listing, "hash_shrot", "#lib/hash_short");
        assert_near(listing, "*hash", "#lib/hash_short, #lib/hash_long");
        assert_near(listing, "qsort", "");
        assert_near(listing, "!strlen", "");
        assert_near(listing, "*", "");
        assert_near(listing, "=", "");
}

TEST(the_nearest_come_first_and_no_more_than_fit) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        const FilterList words = { (char *const[]){ (char *)"name_5" }, 1 };
        char text[NEAR_NAMES_TEXT_MAX], name[RUNNER_NAME_MAX];

        for (unsigned i = 0; i < 9; i++) {
                snprintf(name, sizeof name, "nome_%u", i);
                add_entry(listing, "a", name);
        }
        assert_int_equal(near_names_write(listing, &words, "", text), NEAR_NAMES_MAX);
        assert_ptr_equal(strstr(text, "a/nome_5"), text);

        memset(name, 'n', sizeof name);
        name[sizeof name - 1] = '\0';
        listing->n_entries = 0;
        for (unsigned i = 0; i < 3; i++)
                add_entry(listing, name, name);
        assert_int_equal(near_names_write(listing, &(FilterList){ (char *const[]){ name }, 1 }, "", text), 1);
        assert_int_equal(strlen(text), 2 * (RUNNER_NAME_MAX - 1) + 1);
}

TEST(a_long_listing_is_searched_to_its_end_but_not_for_many_long_filters) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        char text[NEAR_NAMES_TEXT_MAX], name[RUNNER_NAME_MAX], filter[121] = "", *filters[41];

        for (unsigned i = 0; i + 1 < LISTING_ENTRIES_MAX; i++) {
                snprintf(name, sizeof name, "n%u", i);
                add_entry(listing, "a", name);
        }
        add_entry(listing, "a", "strlen_of_a_long_text");
        memset(filter, 'z', sizeof filter - 1);
        for (size_t i = 0; i < N_ELEMENTS(filters); i++)
                filters[i] = filter;
        filters[N_ELEMENTS(filters) - 1] = (char *)"strlne_of_a_long_text";
        assert_int_equal(near_names_write(listing, &(FilterList){ filters + N_ELEMENTS(filters) - 1, 1 }, "", text), 1);
        assert_string_equal(text, "a/strlen_of_a_long_text");
        assert_int_equal(near_names_write(listing, &(FilterList){ filters, N_ELEMENTS(filters) }, "", text), 0);
}
