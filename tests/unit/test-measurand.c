/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Which rows may be compared: the kinds of their times, also of results that do not tell them.
 */

#include "ctl/measurand.h"

#include <jansson.h>

#include "test.h"
#include "util/cleanup.h"

static Measurand of(const char *text) {
        _cleanup_(json_decrefp) json_t *row = json_loads(text, 0, NULL);

        assert_non_null(row);
        return measurand_of(row);
}

TEST(a_row_says_what_its_time_is_of_or_its_findings_do) {
        assert_int_equal(of("{\"measurand\": \"alone\"}"), MEASURAND_ALONE);
        assert_int_equal(of("{\"measurand\": \"shared\", \"findings\": []}"), MEASURAND_SHARED);
        assert_int_equal(of("{\"measurand\": \"all\"}"), MEASURAND_ALL);
        assert_int_equal(of("{\"measurand\": null, \"findings\": [{\"kind\": \"drift\"}]}"), MEASURAND_UNTOLD);
        assert_int_equal(of("{}"), MEASURAND_UNTOLD);
        assert_int_equal(of("{\"findings\": [{\"kind\": \"drift\"}, {\"kind\": \"unfit-shared-core\"}]}"),
                        MEASURAND_UNKNOWN);
        assert_int_equal(of("{\"measurand\": \"alone\", \"findings\": [{\"kind\": \"unfit-shared-core\"}]}"),
                        MEASURAND_ALONE);
        assert_int_equal(of("{\"measurand\": \"of a later version\"}"), MEASURAND_UNKNOWN);
}

TEST(a_name_is_read_again_as_it_was) {
        for (Measurand i = MEASURAND_UNKNOWN; i < _MEASURAND_N; i++) {
                _cleanup_(json_decrefp) json_t *row = json_pack("{s:s}", "measurand", measurand_name(i));

                assert_int_equal(measurand_of(row), i);
        }
        assert_null(measurand_name(MEASURAND_UNTOLD));
}

TEST(like_is_compared_with_like_whichever_comes_first) {
        static const bool alike[_MEASURAND_N][_MEASURAND_N] = {
                [MEASURAND_UNTOLD] = { [MEASURAND_UNTOLD] = true, [MEASURAND_ALONE] = true, [MEASURAND_ALL] = true },
                [MEASURAND_ALONE] = { [MEASURAND_UNTOLD] = true, [MEASURAND_ALONE] = true },
                [MEASURAND_SHARED] = { [MEASURAND_SHARED] = true },
                [MEASURAND_ALL] = { [MEASURAND_UNTOLD] = true, [MEASURAND_ALL] = true },
        };

        for (Measurand a = 0; a < _MEASURAND_N; a++)
                for (Measurand b = 0; b < _MEASURAND_N; b++)
                        assert_int_equal(measurands_are_alike(a, b), alike[a][b]);
}
