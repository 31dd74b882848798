/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The one unit of a report's times: which rows know it, and that nothing else changes. */

#include "ctl/model/time-unit.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "test.h"

static json_t *report(void) {
        return json_pack("{s:[{s:s, s:{s:i}, s:[{s:i}], s:[{s:f}]}], s:[{s:s}], s:{}, s:{s:[{s:{s:[{}]}}]}, s:i}",
                        "benchmarks", "name", "x", "args", "n", 1, "runs", "ticks", 7, "machines", "point", 1.5,
                        "complexity", "order", "n", "empty", "fleet", "machines", "result", "benchmarks", "seed", 3);
}

TEST(each_row_of_a_report_knows_its_unit) {
        static const char *const holders[] = { "benchmarks", "complexity" };
        _cleanup_(json_decrefp) json_t *json = report();
        const json_t *row = json_array_get(json_at(json, "benchmarks"), 0);

        assert_non_null(json);
        assert_int_equal(time_unit_apply(json, "us"), 0);
        for (size_t i = 0; i < N_ELEMENTS(holders); i++)
                assert_ptr_equal(time_unit_of(json_array_get(json_at(json, holders[i]), 0)), unit_find_time("us"));
        assert_ptr_equal(time_unit_of(json_at(json, "empty")), unit_find_time("us"));
        assert_ptr_equal(time_unit_of(json_array_get(json_at(row, "runs"), 0)), unit_find_time("us"));
        assert_ptr_equal(time_unit_of(json_array_get(json_at(json_array_get(json_at(json, "fleet.machines"), 0),
                                                                     "result.benchmarks"),
                                         0)),
                        unit_find_time("us"));
        assert_int_equal(json_object_size(json_at(row, "args")), 1);
}

TEST(without_a_unit_a_report_stays_as_it_is) {
        _cleanup_(json_decrefp) json_t *json = report(), *before = json_deep_copy(json);

        assert_int_equal(time_unit_apply(json, NULL), 0);
        assert_int_equal(time_unit_apply(json, "auto"), 0);
        assert_true(json_equal(json, before));
        assert_null(time_unit_of(json));
}

TEST(a_word_that_a_file_has_is_no_unit) {
        _cleanup_(json_decrefp) json_t *json = json_pack("{s:s}", "time_unit", "fortnights");

        assert_null(time_unit_of(json));
        assert_null(time_unit_of(NULL));
        assert_true(time_unit_is_known("auto") && time_unit_is_known("us") && time_unit_is_known("µs"));
        assert_false(time_unit_is_known("min") || time_unit_is_known(""));
}
