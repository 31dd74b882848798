/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/model/headline.h"
#include "test.h"

static json_t *new_result(void) {
        const char *text = "{\"benchmarks\": ["
                           "{\"time_ns\": {\"point\": 7.4, \"low\": 7.3, \"high\": 7.5, \"raw\": {\"min\": 7}},"
                           " \"amortised\": {\"point\": 82, \"low\": 70, \"high\": 94}},"
                           "{\"time_ns\": {\"point\": 3, \"low\": 2, \"high\": 4}, \"amortised\": {\"point\": null}},"
                           "{\"time_ns\": {\"point\": 3, \"low\": 2, \"high\": 4}}],"
                           "\"comparisons\": ["
                           "{\"ratio\": {\"point\": 1, \"low\": 0.99, \"high\": 1.01}, \"verdict\": \"same\","
                           " \"mean_ratio\": {\"point\": 9, \"low\": 8, \"high\": 10}, \"mean_verdict\": \"slower\"},"
                           "{\"ratio\": {\"point\": 1, \"low\": 0.99, \"high\": 1.01}, \"verdict\": \"same\","
                           " \"mean_ratio\": {\"point\": null}}]}";

        return json_loads(text, 0, NULL);
}

static double number_at(const json_t *row, const char *path) {
        double number;

        assert_true(json_number_at(row, path, &number));
        return number;
}

TEST(the_mean_takes_the_place_of_the_time_where_there_is_one) {
        _cleanup_(json_decrefp) json_t *result = new_result(), *before = new_result(), *told = NULL;
        const json_t *rows, *comparisons;

        assert_int_equal(headline_of(result, "mean", &told), 0);
        assert_true(json_equal(result, before)); /* which shares numbers with it, and is left alone */
        rows = json_object_get(told, "benchmarks");
        comparisons = json_object_get(told, "comparisons");
        assert_true(number_at(json_array_get(rows, 0), "time_ns.point") == 82);
        assert_true(number_at(json_array_get(rows, 0), "time_ns.high") == 94);
        assert_true(number_at(json_array_get(rows, 0), "time_ns.raw.min") == 7);
        for (size_t i = 1; i < 3; i++)
                assert_true(number_at(json_array_get(rows, i), "time_ns.point") == 3);
        assert_true(number_at(json_array_get(comparisons, 0), "ratio.low") == 8);
        assert_string_equal(json_text_at(json_array_get(comparisons, 0), "verdict"), "slower");
        assert_true(number_at(json_array_get(comparisons, 1), "ratio.point") == 1);
}

TEST(the_median_leaves_all_as_measured) {
        const char *const words[] = { NULL, "median" };

        for (size_t i = 0; i < 2; i++) {
                _cleanup_(json_decrefp) json_t *result = new_result(), *told = NULL;

                assert_int_equal(headline_of(result, words[i], &told), 0);
                assert_ptr_equal(told, result);
        }
}
