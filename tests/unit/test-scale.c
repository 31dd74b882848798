/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times as multiples of one benchmark's: all of them, and nothing but times.
 */

#include "ctl/scale.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ctl/json-path.h"
#include "util/cleanup.h"

static json_t *benchmark(const char *name, double ns, bool reference) {
        return json_pack("{s:s, s:s, s:s, s:{s:f, s:{s:i, s:f, s:f, s:f}}, s:{s:f}, s:b}", "area", "a", "name", name,
                        "method", "measureit", "time_ns", "point", ns, "raw", "samples", 10, "mean", 2 * ns,
                        "within_1sd", 0.7, "within_2sd", 0.95, "cycles", "point", 5 * ns, "reference", reference);
}

static json_t *result(void) {
        return json_pack("{s:[o, o, o]}", "benchmarks", benchmark("zero", 0, true), benchmark("one", 4, true),
                        benchmark("two", 6, false));
}

static double number(const json_t *json, size_t index, const char *path) {
        double value = -1;

        assert_true(json_number_at(json_array_get(json_at(json, "benchmarks"), index), path, &value));
        return value;
}

static void times_are_multiples_and_nothing_else_is(void **state) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_int_equal(scale_apply(json, "a/two"), 0);
        assert_float_equal(number(json, 1, "time_ns.point"), 4.0 / 6, 1e-12);
        assert_float_equal(number(json, 2, "time_ns.point"), 1, 1e-12);
        assert_float_equal(number(json, 2, "time_ns.raw.mean"), 2, 1e-12);
        assert_float_equal(number(json, 2, "time_ns.raw.samples"), 10, 0);
        assert_float_equal(number(json, 2, "time_ns.raw.within_1sd"), 0.7, 0);
        assert_float_equal(number(json, 2, "time_ns.raw.within_2sd"), 0.95, 0);
        assert_float_equal(number(json, 2, "cycles.point"), 30, 0);
        assert_string_equal(json_text_at(json, "scale.name"), "two");
}

static void without_a_name_it_is_the_first_reference_that_has_a_time(void **state) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_int_equal(scale_apply(json, NULL), 0);
        assert_string_equal(json_text_at(json, "scale.name"), "one");
        assert_float_equal(number(json, 2, "time_ns.point"), 1.5, 1e-12);
}

static void another_method_has_to_be_asked(void **state) {
        _cleanup_(json_decrefp) json_t *json = result();
        json_t *benchmarks = json_object_get(json, "benchmarks");

        for (size_t i = 0; i < json_array_size(benchmarks); i++)
                json_object_set_new(json_array_get(benchmarks, i), "method", json_string("benchd"));
        assert_int_equal(scale_apply(json, NULL), 0);
        assert_float_equal(number(json, 2, "time_ns.point"), 6, 0);
        assert_null(json_at(json, "scale"));
        assert_int_equal(scale_apply(json, "one"), 0);
        assert_float_equal(number(json, 2, "time_ns.point"), 1.5, 1e-12);
}

static void a_table_that_puts_the_mean_first_is_scaled_by_that(void **state) {
        _cleanup_(json_decrefp) json_t *json = result();

        json_object_set_new(json, "method", json_string("mark8"));
        assert_int_equal(scale_apply(json, "one"), 0);
        assert_float_equal(number(json, 1, "time_ns.raw.mean"), 1, 1e-12);
        assert_float_equal(number(json, 2, "time_ns.raw.mean"), 1.5, 1e-12);
}

static void by_what_is_not_there_or_has_no_time_nothing_is_scaled(void **state) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_int_equal(scale_apply(json, "three"), SCALE_E_NONE);
        assert_int_equal(scale_apply(json, "zero"), SCALE_E_NONE);
        assert_float_equal(number(json, 2, "time_ns.point"), 6, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(times_are_multiples_and_nothing_else_is),
                cmocka_unit_test(without_a_name_it_is_the_first_reference_that_has_a_time),
                cmocka_unit_test(another_method_has_to_be_asked),
                cmocka_unit_test(a_table_that_puts_the_mean_first_is_scaled_by_that),
                cmocka_unit_test(by_what_is_not_there_or_has_no_time_nothing_is_scaled),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
