/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Filters: which of them mean which benchmark. */

#include "ops/filter.h"

#include "test.h"

typedef struct FilterCase {
        const char *filters[3];
        bool plain;  /* means sorting/qsort_int/n=100/kind=2 */
        bool hidden; /* ... were it hidden */
} FilterCase;

/* As a request does it, from the words to the answer. */
static bool select_entry(const FilterList *list, const ListingEntry *entry, const ArgumentValue *args, bool hidden) {
        _cleanup_(filter_set_freep) FilterSet *set = NULL;
        char path[FILTER_PATH_MAX];
        bool selects;

        assert_int_equal(filter_set_new(list, &set), 0);
        filter_path(entry, args, path);
        selects = filter_set_select(set, entry, path, hidden);
        assert_true(!selects || filter_set_may_select(set, entry, hidden));
        return selects;
}

static const FilterCase cases[] = {
        { {}, true, false },
        { { "sorting" }, true, false },
        { { "sort*" }, true, false },
        { { "sorting/qsort_int" }, true, true },
        { { "qsort_int" }, true, true },
        { { "qsort*" }, true, false },
        { { "qsort_in" }, false, false },
        { { "sort" }, false, false },
        { { "*/qsort_int" }, true, false },
        { { "qsort_int/n=100" }, true, true },
        { { "sorting/qsort_int/n=100/kind=2" }, true, true },
        { { "sorting/qsort_int/n=100/kind=*" }, true, true },
        { { "qsort_int/n=200" }, false, false },
        { { "*/n=100" }, true, false },
        { { "*/*/*/kind=2" }, true, false },
        { { "*/kind=2" }, true, false },
        { { "*kind=2" }, true, false },
        { { "*/kind=3" }, false, false },
        { { "!*/kind=2" }, false, false },
        { { "n=100" }, true, false },
        { { "n=10" }, false, false },
        { { "n=1*" }, true, false },
        { { "kind=2" }, true, false },
        { { "!n=100" }, false, false },
        { { "sorting//n=100" }, true, false },
        { { "strings//n=100" }, false, false },
        { { "sorting//qsort_int" }, true, true },
        { { "qsort_int//kind=2" }, true, true },
        { { "sorting//*/kind=2" }, true, false },
        { { "sort//kind=2" }, false, false },
        { { "sorting//" }, false, false },
        { { "*" }, true, false },
        { { "strings", "sorting" }, true, false },
        { { "strings", "qsort_int" }, true, true },
        { { "!strings" }, true, false },
        { { "!sorting" }, false, false },
        { { "qsort_int", "!*/n=100" }, false, false },
        { { "!*/n=100", "qsort_int" }, false, false },
        { { "qsort_int", "!*/n=200" }, true, true },
        { { "" }, false, false },
        { { "!" }, true, false },
};

static const ListingEntry entry = {
        .area = "sorting",
        .name = "qsort_int",
        .axes = { { .name = "n" }, { .name = "kind" } },
        .n_axes = 2,
};
static const ArgumentValue args[] = { { .integer = 100 }, { .integer = 2 } };

TEST(each_case_is_decided_as_the_text_says) {
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                FilterList list = { .filters = (char *const *)cases[i].filters };

                while (list.n_filters < 3 && cases[i].filters[list.n_filters])
                        list.n_filters++;
                if (select_entry(&list, &entry, args, false) != cases[i].plain ||
                                select_entry(&list, &entry, args, true) != cases[i].hidden)
                        fail_msg("case %zu, %s", i, cases[i].filters[0]);
        }
}

TEST(a_hidden_area_is_meant_when_its_name_is_written_out) {
        static const struct {
                const char *filter;
                bool of_area; /* means it where its area is hidden */
                bool of_both; /* ... and itself too */
        } rows[] = {
                { "sorting", true, false },
                { "sorting/*", true, false },
                { "sorting/qsort*/n=100", true, false },
                { "sorting/qsort_int", true, true },
                { "qsort_int", true, true },
                { "sort*", false, false },
                { "*", false, false },
                { "qsort*", false, false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                char *filters[] = { (char *)rows[i].filter };
                ListingEntry hidden = entry;

                hidden.hidden = LISTING_HIDDEN_AREA;
                assert_int_equal(select_entry(&(FilterList){ filters, 1 }, &hidden, args, true), rows[i].of_area);
                hidden.hidden |= LISTING_HIDDEN_ITSELF;
                assert_int_equal(select_entry(&(FilterList){ filters, 1 }, &hidden, args, true), rows[i].of_both);
        }
}

TEST(without_arguments_only_area_and_name_are_looked_at) {
        char *filters[] = { (char *)"sorting/*/n=100", (char *)"qsort_int" };

        assert_false(select_entry(&(FilterList){ filters, 1 }, &entry, NULL, false));
        assert_true(select_entry(&(FilterList){ filters + 1, 1 }, &entry, NULL, false));
}

TEST(real_numbers_and_texts_are_matched_as_they_read) {
        static const ListingEntry odd = { .area = "a",
                .name = "b",
                .axes = { { .name = "x" }, { .name = "s" } },
                .n_axes = 2 };
        static const struct {
                double real;
                const char *text, *filter;
                bool matches;
        } rows[] = {
                { 0.5, "1e300", "b/x=0.5/s=1e300", true },
                { 0.5, "1e300", "b/*/s=1e3*", true },
                { 0.5, "1e300", "b/x=0.50", false },
                { 0.1 + 0.2, "a:b@50%", "b/x=0.3/s=a:b@50%", true },
                { 1e300, "0", "b/x=1e+300/s=0", true },
                { -0.25, "en_US.UTF-8", "*/s=en_US.UTF-8", true },
                { -0.25, "en_US.UTF-8", "b/x=-0.25/s=en_US", false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const ArgumentValue values[] = { argument_real(rows[i].real), argument_text(rows[i].text) };
                char *filters[] = { (char *)rows[i].filter };

                assert_int_equal(select_entry(&(FilterList){ filters, 1 }, &odd, values, false), rows[i].matches);
        }
}

TEST(a_benchmark_that_no_arguments_can_choose_is_known_by_its_name) {
        static const struct {
                const char *filters[2];
                bool may;
        } rows[] = {
                { { NULL }, true },
                { { "sorting/qsort_int/n=1" }, true },
                { { "qsort_int/n=77" }, true },
                { { "*/kind=9" }, true },
                { { "*kind*" }, true },
                { { "qsort_int*" }, true },
                { { "sorting" }, true },
                { { "!*/n=100", NULL }, true },
                { { "qsort" }, false },
                { { "strings/*" }, false },
                { { "qsort_in?/n=100", "q*_real/*" }, true },
                { { "q?????_real/n=100", "sort" }, false },
                { { "q*_real/n=100" }, true }, /* a value may end so */
                { { "!qsort_int" }, false },
                { { "!sorting", "qsort_int/n=1" }, false },
        };
        const ListingEntry wide = { .area = "sorting", .name = "qsort_int", .n_axes = 2 };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(filter_set_freep) FilterSet *set = NULL;
                const size_t n = rows[i].filters[0] ? 1 + (rows[i].filters[1] != NULL) : 0;

                assert_int_equal(filter_set_new(&(FilterList){ (char *const *)rows[i].filters, n }, &set), 0);
                assert_int_equal(filter_set_may_select(set, &wide, false), rows[i].may);
        }
}

TEST(the_longest_path_has_room) {
        char path[FILTER_PATH_MAX], longest[RUNNER_NAME_MAX] = "", text[ARGUMENT_TEXT_MAX] = "";
        ArgumentValue values[RUNNER_ARGS_MAX];
        ListingEntry wide = { .n_axes = RUNNER_ARGS_MAX };

        memset(longest, 'a', sizeof longest - 1);
        memset(text, 'b', sizeof text - 1);
        memcpy(wide.area, longest, sizeof longest);
        memcpy(wide.name, longest, sizeof longest);
        for (size_t i = 0; i < RUNNER_ARGS_MAX; i++) {
                memcpy(wide.axes[i].name, longest, sizeof longest);
                values[i] = argument_text(text);
        }
        filter_path(&wide, values, path);
        assert_int_equal(strlen(path), 2 * 63 + 1 + RUNNER_ARGS_MAX * (1 + 63 + 1 + 31));
}

TEST(those_that_match_nothing_are_told_once) {
        char *filters[] = { (char *)"qsort_int", (char *)"nosuch", (char *)"!gone", (char *)"n=7", (char *)"a//nosuch",
                (char *)"strings//n=100", (char *)"sorting//n=100" };
        static const char *const told[] = { "nosuch", "!gone", "n=7" };
        const FilterList list = { filters, N_ELEMENTS(filters) };
        _cleanup_(filter_set_freep) FilterSet *set = NULL;
        char path[FILTER_PATH_MAX];
        const char *filter;
        size_t n = 0;

        filter_path(&entry, args, path);
        assert_int_equal(filter_set_new(&list, &set), 0);
        assert_true(filter_set_select(set, &entry, path, false));
        for (size_t i = 0; (filter = filter_set_unmatched(set, i, &i)); i++) {
                assert_true(n < N_ELEMENTS(told));
                assert_string_equal(filter, told[n++]);
        }
        assert_int_equal(n, N_ELEMENTS(told));
}

/* Operations are counted, not timed. A matcher that goes back to earlier stars takes longer than anyone waits. */
TEST(no_filter_takes_more_than_a_few_operations_a_byte) {
        char filter[FILTER_BYTES_MAX + 1] = "";
        ListingEntry slow = { .n_axes = 0 };
        char *filters[] = { filter };
        const FilterList list = { filters, 1 };
        _cleanup_(filter_set_freep) FilterSet *set = NULL;

        memset(slow.area, 'a', sizeof slow.area - 1);
        memset(slow.name, 'a', sizeof slow.name - 1);
        for (size_t i = 0; i < 20; i++)
                strcat(filter, "*[[:alnum:]]");
        assert_true(select_entry(&list, &slow, NULL, false));
        strcat(filter, "z");
        assert_false(select_entry(&list, &slow, NULL, false));
        for (size_t i = 0; i + 1 < FILTER_BYTES_MAX; i += 2)
                memcpy(filter + i, "*a", 3);
        assert_false(select_entry(&list, &slow, NULL, false)); /* 128 of them, and 127 bytes */
        assert_int_equal(filter_set_new(&list, &set), 0);
        assert_in_range(filter_set_work(set), 1, 1 + 5 * (2 + RUNNER_ARGS_MAX)); /* 5 words of 64 elements */
}
