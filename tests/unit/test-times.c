/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Times in the one unit that a reader asks for, in each cell that has one; test-scale.c has multiples. */

#include "ctl/model/times.h"

#include <jansson.h>

#include "ctl/model/cell.h"
#include "test.h"

static void assert_told(CellFill fill, const char *path, const Times *times, const char *expected) {
        _cleanup_(json_decrefp) json_t *row = json_pack(
                        "{s:{s:f, s:f, s:f}, s:i, s:[{s:s, s:f, s:f}], s:[{s:f}, {s:f}]}", "time_ns", "point", 1500.0,
                        "low", 1000.0, "high", 4000.0, "ops_per_iteration", 2, "modes", "kind", "between", "center_ns",
                        2000.0, "weight", 0.5, "machines", "point", 1000.0, "point", 3000.0);
        _cleanup_(freep) char *text = cell_make(fill, path, row, times);

        assert_string_equal(text, expected);
}

TEST(each_time_is_in_the_unit_that_is_asked_for) {
        const Times times = { .unit = unit_find_time("ms") };

        assert_told(cell_time, "time_ns.point", &times, "0.001500 ms");
        assert_told(cell_unscaled_time, "time_ns.point", &times, "0.001500 ms");
        assert_told(cell_iteration, "time_ns.point", &times, "0.003000 ms");
        assert_told(cell_interval, "time_ns", &times, "0.00100 … 0.00400 ms");
        assert_told(cell_time_range, "time_ns", &times, "0.00100 … 0.00400 ms");
        assert_told(cell_modes, NULL, &times, "between 50 % at 0.002000 ms");
        assert_told(cell_machines_range, NULL, &times, "0.0010 … 0.0030 ms");
        assert_told(cell_number, "time_ns.point", &times, "1,500");
}

TEST(without_one_each_has_the_unit_that_suits_it) {
        static const Times times = {};
        static const Times *const plain[] = { NULL, &times };

        for (size_t i = 0; i < N_ELEMENTS(plain); i++) {
                assert_told(cell_time, "time_ns.point", plain[i], "1.500 µs");
                assert_told(cell_interval, "time_ns", plain[i], "1.00 … 4.00 µs");
                assert_false(times_are_scaled(plain[i]));
        }
}

TEST(a_word_for_no_unit_of_a_benchmark_is_not_known) {
        assert_true(times_unit_is_known("auto") && times_unit_is_known("us") && times_unit_is_known("µs"));
        assert_false(times_unit_is_known("min") || times_unit_is_known(""));
        assert_null(unit_find_time("auto"));
}
