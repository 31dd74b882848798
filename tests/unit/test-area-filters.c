/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Areas that were named, as filters: each alone is all of it, and filters choose within them. */

#include "ctl/ask/area-filters.h"

#include "ctl/app/settings.h"
#include "test.h"

#define WORDS_MAX 6u

typedef struct AreaCase {
        const char *areas[WORDS_MAX];
        const char *filters[WORDS_MAX];
        const char *expected[WORDS_MAX];
} AreaCase;

static const AreaCase cases[] = {
        { {}, {}, {} },
        { {}, { "strlen", "!*/n=8" }, { "strlen", "!*/n=8" } },
        { { "calls" }, {}, { "calls/*" } },
        { { "calls", "strings" }, {}, { "calls/*", "strings/*" } },
        { { "strings/strlen" }, {}, { "strings/strlen" } },
        { { "strings/strlen" }, { "n=8" }, { "strings/strlen//n=8" } },
        { { "calls", "strings" }, { "str*" }, { "calls//str*", "strings//str*" } },
        { { "calls", "strings" }, { "strings/strlen" }, { "calls//strings/strlen", "strings//strings/strlen" } },
        { { "calls" }, { "strings/strlen" },
                        { "calls//strings/strlen" } }, /* matches nothing, and the daemon says so */
        { { "calls", "strings" }, { "*/n=8" }, { "calls//*/n=8", "strings//*/n=8" } },
        { { "strings" }, { "!strlen" }, { "!strlen", "strings/*" } },
        { { "strings" }, { "strlen", "!*/n=8" }, { "!*/n=8", "strings//strlen" } },
};

static size_t count(const char *const *words) {
        size_t n = 0;

        while (n < WORDS_MAX && words[n])
                n++;
        return n;
}

TEST(filters_choose_within_the_areas) {
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                const SettingsWords areas = { (const char **)cases[i].areas, count(cases[i].areas) };
                const SettingsWords filters = { (const char **)cases[i].filters, count(cases[i].filters) };
                _cleanup_(freep) char **list = NULL;
                size_t n = 0;

                assert_int_equal(area_filters(&areas, &filters, &list), 0);
                for (; list[n]; n++) {
                        if (n >= WORDS_MAX || !cases[i].expected[n])
                                fail_msg("case %zu: %s too many", i, list[n]);
                        assert_string_equal(list[n], cases[i].expected[n]);
                }
                assert_int_equal(n, count(cases[i].expected));
        }
}

TEST(a_filter_that_is_too_long_stays_too_long) {
        char filter[2000] = "";
        const char *area = "calls", *word = filter;
        const SettingsWords areas = { &area, 1 }, filters = { &word, 1 };
        _cleanup_(freep) char **list = NULL;

        memset(filter, 'x', sizeof filter - 1);
        assert_int_equal(area_filters(&areas, &filters, &list), 0);
        assert_int_equal(strlen(list[0]), 511);
        assert_null(list[1]);
}
