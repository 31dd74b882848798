/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times as multiples of one benchmark's: all of them, and nothing but times; how often the interval of a multiple holds the true one.
 */

#include "ctl/model/scale.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "random.h"
#include "stats/interval.h"

static json_t *benchmark(const char *name, int n, double ns, bool reference) {
        return json_pack("{s:s, s:s, s:{s:i}, s:{s:f, s:{s:i, s:f, s:f, s:f}, s:{s:f, s:i, s:i}}, s:{s:f}, s:b}",
                        "area", "a", "name", name, "args", "n", n, "time_ns", "point", ns, "raw", "samples", 10, "mean",
                        2 * ns, "within_1sd", 0.7, "within_2sd", 0.95, "histogram", "low", ns, "below", 3, "above", 5,
                        "cycles", "point", 5 * ns, "reference", reference);
}

static json_t *result(void) {
        return json_pack("{s:[o, o, o, o], s:{s:{s:f}}}", "benchmarks", benchmark("zero", 1, 0, true),
                        benchmark("one", 1, 4, true), benchmark("two", 1, 6, false), benchmark("two", 11, 8, false),
                        "empty", "time_ns", "point", 2.0);
}

static double number(const json_t *json, size_t index, const char *path) {
        double value = -1;

        assert_true(json_number_at(json_array_get(json_at(json, "benchmarks"), index), path, &value));
        return value;
}

TEST(times_are_multiples_and_nothing_else_is) {
        _cleanup_(json_decrefp) json_t *json = result();
        double empty;

        assert_int_equal(scale_apply(json, "a/two/n=1"), 0);
        assert_float_equal(number(json, 1, "time_ns.point"), 4.0 / 6, 1e-12);
        assert_float_equal(number(json, 1, "time_ns.histogram.low"), 4.0 / 6, 1e-12);
        assert_float_equal(number(json, 1, "time_ns.histogram.below"), 3, 0);
        assert_float_equal(number(json, 1, "time_ns.histogram.above"), 5, 0);
        assert_float_equal(number(json, 2, "time_ns.point"), 1, 1e-12);
        assert_float_equal(number(json, 2, "time_ns.raw.mean"), 2, 1e-12);
        assert_float_equal(number(json, 2, "time_ns.raw.samples"), 10, 0);
        assert_float_equal(number(json, 2, "time_ns.raw.within_1sd"), 0.7, 0);
        assert_float_equal(number(json, 2, "time_ns.raw.within_2sd"), 0.95, 0);
        assert_float_equal(number(json, 2, "cycles.point"), 30, 0);
        assert_string_equal(json_text_at(json, "scale.name"), "two/n=1");
        assert_true(json_number_at(json, "empty.time_ns.point", &empty));
        assert_float_equal(empty, 2.0 / 6, 1e-12);
}

TEST(counts_of_iterations_and_the_harness_error_are_times_too) {
        _cleanup_(json_decrefp) json_t *json = result();
        json_t *row = json_array_get(json_at(json, "benchmarks"), 2);
        double mean;

        json_object_set_new(row, "harness_error_ns", json_real(0.4));
        json_object_set_new(row, "steps",
                        json_pack("[{s:i, s:f, s:n}, {s:i, s:f, s:f}]", "iterations", 2, "mean_ns", 8.0, "stddev_ns",
                                        "iterations", 4, "mean_ns", 10.0, "stddev_ns", 1.0));
        assert_int_equal(scale_apply(json, "one"), 0);
        assert_float_equal(number(json, 2, "harness_error_ns"), 0.1, 1e-12);
        assert_true(json_number_at(json_array_get(json_at(row, "steps"), 0), "mean_ns", &mean));
        assert_float_equal(mean, 2, 1e-12);
        assert_true(json_number_at(json_array_get(json_at(row, "steps"), 1), "stddev_ns", &mean));
        assert_float_equal(mean, 0.25, 1e-12);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(json_at(row, "steps"), 1), "iterations")),
                        4);
}

TEST(the_row_that_is_one_is_marked_and_no_other) {
        _cleanup_(json_decrefp) json_t *json = result();
        const json_t *benchmarks;

        assert_int_equal(scale_apply(json, "two/n=11"), 0);
        benchmarks = json_at(json, "benchmarks");
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                assert_true(json_flag_at(json_array_get(benchmarks, i), "scaled"));
                assert_int_equal(json_flag_at(json_array_get(benchmarks, i), "reference"), i == 3);
        }
}

TEST(an_empty_name_is_of_the_first_marked_row_that_has_a_time) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_int_equal(scale_apply(json, ""), 0);
        assert_string_equal(json_text_at(json, "scale.name"), "one/n=1");
        assert_float_equal(number(json, 2, "time_ns.point"), 1.5, 1e-12);
}

TEST(without_a_name_the_run_decides) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_int_equal(scale_apply(json, NULL), 0);
        assert_float_equal(number(json, 2, "time_ns.point"), 6, 0);
        assert_null(json_at(json, "scale"));
        assert_int_equal(json_object_set_new(json, "reference", json_string("a/one/n=1")), 0);
        assert_int_equal(scale_apply(json, NULL), 0);
        assert_string_equal(json_text_at(json, "scale.name"), "one/n=1");
}

TEST(a_table_that_puts_the_mean_first_is_scaled_by_that) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_int_equal(json_object_set_new(json, "method", json_string("macro")), 0);
        assert_int_equal(scale_apply(json, "one"), 0);
        assert_float_equal(number(json, 1, "time_ns.raw.mean"), 1, 1e-12);
        assert_float_equal(number(json, 1, "time_ns.point"), 0.5, 1e-12);
}

/* A row of ten processes, whose logs have the standard deviation @spread around 0. */
static json_t *drawn(gsl_rng *random, const char *name, double spread) {
        double times_ns[10];
        Interval time;

        for (size_t i = 0; i < N_ELEMENTS(times_ns); i++)
                times_ns[i] = exp(gsl_ran_gaussian(random, spread));
        assert_int_equal(interval_of_logs(times_ns, NULL, N_ELEMENTS(times_ns), 0.95, &time), 0);
        return json_pack("{s:s, s:s, s:{}, s:{s:f, s:f, s:f}}", "area", "a", "name", name, "args", "time_ns", "point",
                        time.point, "low", time.low, "high", time.high);
}

TEST(the_interval_of_a_multiple_holds_the_true_one_as_often_as_it_says) {
        static const double spreads[] = { 0.001, 0.01, 0.05 };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(spreads) * N_ELEMENTS(spreads); i++) {
                const double of_row = spreads[i / N_ELEMENTS(spreads)], of_one = spreads[i % N_ELEMENTS(spreads)];
                int n_held = 0;

                for (int trial = 0; trial < 2000; trial++) {
                        _cleanup_(json_decrefp) json_t *json = json_pack("{s:[o, o]}", "benchmarks",
                                        drawn(random, "one", of_one), drawn(random, "row", of_row));

                        assert_int_equal(scale_apply(json, "one"), 0);
                        n_held += number(json, 1, "time_ns.low") <= 1 && 1 <= number(json, 1, "time_ns.high");
                        assert_float_equal(number(json, 0, "time_ns.low"), 1, 1e-12);
                        assert_float_equal(number(json, 0, "time_ns.high"), 1, 1e-12);
                }
                print_message("row %.1f %%, yardstick %.1f %%: held in %.1f %%\n", 100 * of_row, 100 * of_one,
                                n_held / 20.0);
                assert_true(n_held >= 2000 * (0.95 - share_tolerance(0.95, 2000)));
                assert_true(n_held <= 2000 * (0.97 + share_tolerance(0.97, 2000)));
        }
}

TEST(every_interval_of_a_row_is_widened_and_none_is_known_without_the_yardstick_s) {
        _cleanup_(json_decrefp) json_t *json = result();
        json_t *one = json_object_get(json_array_get(json_at(json, "benchmarks"), 1), "time_ns");
        json_t *two = json_object_get(json_array_get(json_at(json, "benchmarks"), 2), "time_ns");

        json_object_set_new(one, "low", json_real(4 * exp(-0.03)));
        json_object_set_new(one, "high", json_real(4 * exp(0.03)));
        json_object_set_new(two, "low", json_real(6 * exp(-0.04)));
        json_object_set_new(two, "high", json_real(6 * exp(0.04)));
        json_object_set_new(two, "net", json_pack("{s:f, s:f, s:f}", "point", 2.0, "low", -1.0, "high", 5.0));
        assert_int_equal(scale_apply(json, "one"), 0);
        assert_float_equal(number(json, 2, "time_ns.low"), 1.5 * exp(-0.05), 1e-12);
        assert_float_equal(number(json, 2, "time_ns.high"), 1.5 * exp(0.05), 1e-12);
        assert_float_equal(number(json, 2, "time_ns.net.low"), 0.5 - hypot(0.75, 0.5 * 0.03), 1e-12);
        assert_float_equal(number(json, 2, "time_ns.net.high"), 0.5 * exp(hypot(log(2.5), 0.03)), 1e-12);

        json_object_del(json, "scale");
        assert_int_equal(scale_apply(json, "two/n=11"), 0); /* which has no interval */
        assert_null(json_at(two, "low"));
        assert_null(json_at(two, "net.high"));
}

/* A name is whole: "tw" is not "two", nor "n=1" "n=11", and an area alone is no benchmark. */
TEST(by_what_is_not_there_has_no_time_or_is_several_nothing_is_scaled) {
        static const char *const names[] = { "three", "zero", "tw", "a", "a/", "two/n=", "one/n=11", "b/one" };
        _cleanup_(json_decrefp) json_t *json = result();

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                assert_int_equal(scale_apply(json, names[i]), SCALE_E_NONE);
        assert_int_equal(scale_apply(json, "two"), SCALE_E_SEVERAL);
        assert_float_equal(number(json, 1, "time_ns.point"), 4, 0);
        assert_null(json_at(json, "scale"));
}
