/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The reader of results: what is missing reads as empty, and rows are told apart by area, name, arguments and threads. */

#include "ctl/model/result.h"

#include <jansson.h>

#include "test.h"

static json_t *result;

static int set_up(void **state) {
        result = json_pack("{s:s, s:[{s:s, s:s, s:{s:i}, s:{s:f, s:n}}, {s:s, s:s, s:i, s:{s:s}}, {s:s}], s:[]}",
                        "comparability_key", "k", "benchmarks", "area", "string", "name", "strlen", "args", "n", 8,
                        "time_ns", "point", 2.5, "low", "area", "string", "name", "strlen", "threads", 2, "failed",
                        "code", "crashed", "name", "other", "comparisons");
        return result ? 0 : -1;
}

static int tear_down(void **state) {
        json_decref(result);
        return 0;
}

static const json_t *row_at(size_t index) {
        return json_array_get(result_rows(result), index);
}

TEST(what_is_missing_reads_as_empty) {
        const json_t *row;

        result_each_row(i, row, NULL) {
                fail();
        }
        assert_string_equal(row_name(NULL), "");
        assert_string_equal(row_area(row_at(2)), "");
        assert_null(row_failure(row_at(0)));
        assert_true(isnan(row_ratio(row_at(0)).point));
        assert_true(isnan(row_time(row_at(0)).low));
        assert_true(row_threads(row_at(0)) == 1);
        assert_false(result_is_comparable(NULL, NULL));
}

TEST(numbers_and_failures_are_read) {
        assert_true(row_time(row_at(0)).point == 2.5);
        assert_true(row_has_time(row_at(0)));
        assert_false(row_has_time(row_at(1)));
        assert_true(row_has_failed(row_at(1)));
        assert_string_equal(row_failure(row_at(1)), "crashed");
        assert_true(result_is_comparable(result, result));
}

TEST(rows_are_walked_in_order_and_found_again) {
        const json_t *row;
        size_t n = 0;

        result_each_row(i, row, result) {
                assert_int_equal(i, n++);
                assert_ptr_equal(result_find(result, row), row);
        }
        assert_int_equal(n, 3);
        assert_false(row_is_same(row_at(0), row_at(1)));
        assert_ptr_equal(json_find(result_rows(result), "name", "other"), row_at(2));
        assert_null(json_find(result_rows(result), "name", "another"));
}

TEST(members_are_picked_and_joined) {
        _cleanup_(json_decrefp) json_t *joined =
                        json_join(json_pick(row_at(0), "area", "side", NULL), json_pack("{s:i}", "n", 3));

        assert_int_equal(json_object_size(joined), 3);
        assert_true(json_text_is(joined, "area", "string") && json_number_or(joined, "n", 0) == 3);
        assert_true(json_is_null(json_object_get(joined, "side")));
        assert_null(json_join(json_object(), NULL));
        assert_null(json_join(NULL, json_object()));
}

TEST(an_area_is_new_at_its_first_row) {
        assert_true(rows_area_is_new(result_rows(result), 0));
        assert_false(rows_area_is_new(result_rows(result), 1));
        assert_true(rows_area_is_new(result_rows(result), 2));
}

TEST(no_two_rows_have_one_path) {
        _cleanup_(freep) char *first = row_path(row_at(0)), *second = row_path(row_at(1)), *third = row_path(row_at(2));

        assert_string_equal(first, "string/strlen/n=8");
        assert_string_equal(second, "string/strlen/threads=2");
        assert_string_equal(third, "/other");
}

TEST(verdicts_are_of_the_comparisons_if_there_are_any) {
        assert_false(result_compares(result));
        assert_ptr_equal(result_judged(result), result_rows(result));
        json_array_append_new((json_t *)result_comparisons(result), json_pack("{s:s}", "name", "pair"));
        assert_true(result_compares(result));
        assert_ptr_equal(result_judged(result), result_comparisons(result));
}

TEST_FILE(set_up, tear_down)
