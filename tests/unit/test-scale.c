/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times as multiples of one benchmark's: all that are told, and nothing but times; how often the interval of a multiple holds the true one.
 */

#include "ctl/model/scale.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/times.h"
#include "random.h"
#include "stats/interval.h"
#include "util/text-stream.h"

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

static const json_t *row_at(const json_t *json, size_t index) {
        return json_array_get(result_rows(json), index);
}

static Times scaled(const json_t *json, const char *name) {
        Times times = {};

        assert_int_equal(scale_find(&times, json, name), 0);
        return times;
}

static void assert_cell(CellFill fill, const char *path, const json_t *row, const Times *times, const char *expected) {
        _cleanup_(freep) char *text = cell_make(fill, path, row, times);

        assert_string_equal(text, expected);
}

TEST(times_are_told_as_multiples_and_nothing_else_is) {
        _cleanup_(json_decrefp) json_t *json = result(), *before = json_deep_copy(json);
        const Times times = scaled(json, "a/two/n=1");
        const json_t *one = row_at(json, 1), *two = row_at(json, 2);
        _cleanup_(text_stream_clear) TextStream line = {};

        assert_cell(cell_time, "time_ns.point", one, &times, "0.6667");
        assert_cell(cell_time, "time_ns.point", two, &times, "1.000");
        assert_cell(cell_time, "time_ns.raw.mean", two, &times, "2.000");
        assert_cell(cell_unscaled_time, "time_ns.raw.mean", two, &times, "12.00 ns");
        assert_cell(cell_share, "time_ns.raw.within_1sd", two, &times, "70 %");
        assert_cell(cell_count, "time_ns.raw.samples", two, &times, "10");
        assert_cell(cell_number, "cycles.point", two, &times, "30.00");
        assert_cell(cell_time, "time_ns.point", json_at(json, "empty"), &times, "0.3333");
        scale_print(&times, "<", ">", text_stream_open(&line));
        assert_int_equal(text_stream_close(&line), 0);
        assert_string_equal(line.text, "<Scaled where two/n=1 = 1.0 (6.000 ns = 1.0 units)>");
        assert_true(json_equal(json, before));
}

TEST(counts_of_iterations_the_harness_error_and_sides_of_a_pair_are_told_so_too) {
        _cleanup_(json_decrefp) json_t *json = result(), *steps = NULL, *pair = NULL;
        const Times times = scaled(json, "one");
        json_t *row = json_array_get(result_rows(json), 2);

        json_object_set_new(row, "harness_error_ns", json_real(0.4));
        json_object_set_new(row, "steps",
                        json_pack("[{s:i, s:f, s:n}, {s:i, s:f, s:f}]", "iterations", 2, "mean_ns", 8.0, "stddev_ns",
                                        "iterations", 4, "mean_ns", 10.0, "stddev_ns", 1.0));
        assert_cell(cell_time, "harness_error_ns", row, &times, "0.1000");
        steps = rows_of_steps(row);
        assert_cell(cell_time, "time_ns.raw.mean", json_array_get(steps, 0), &times, "2.000");
        assert_cell(cell_time, "time_ns.raw.stddev", json_array_get(steps, 1), &times, "0.2500");
        assert_cell(cell_count, "iterations_per_sample", json_array_get(steps, 1), &times, "4");
        pair = json_pack("{s:O}", "old", row);
        assert_cell(cell_time, "old.time_ns.point", pair, &times, "1.500");
}

TEST(an_empty_name_is_of_the_first_marked_row_that_has_a_time) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_ptr_equal(scaled(json, "").yardstick, row_at(json, 1));
        assert_ptr_equal(scaled(json, "two/n=11").yardstick, row_at(json, 3));
}

TEST(without_a_name_the_run_decides) {
        _cleanup_(json_decrefp) json_t *json = result();

        assert_null(scaled(json, NULL).yardstick);
        assert_int_equal(json_object_set_new(json, "reference", json_string("a/one/n=1")), 0);
        assert_ptr_equal(scaled(json, NULL).yardstick, row_at(json, 1));
}

TEST(a_table_that_puts_the_mean_first_is_scaled_by_that) {
        _cleanup_(json_decrefp) json_t *json = result();
        Times times;

        assert_int_equal(json_object_set_new(json, "method", json_string("macro")), 0);
        times = scaled(json, "one");
        assert_cell(cell_time, "time_ns.raw.mean", row_at(json, 1), &times, "1.000");
        assert_cell(cell_time, "time_ns.point", row_at(json, 1), &times, "0.5000");
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

                        const Times times = scaled(json, "one");
                        const RowEstimate one = times_estimate(&times, row_at(json, 0));
                        const RowEstimate row = times_estimate(&times, row_at(json, 1));

                        n_held += row.low <= 1 && 1 <= row.high;
                        assert_float_equal(one.low, 1, 1e-12);
                        assert_float_equal(one.high, 1, 1e-12);
                }
                print_message("row %.1f %%, yardstick %.1f %%: held in %.1f %%\n", 100 * of_row, 100 * of_one,
                                n_held / 20.0);
                assert_true(n_held >= 2000 * (0.95 - share_tolerance(0.95, 2000)));
                assert_true(n_held <= 2000 * (0.97 + share_tolerance(0.97, 2000)));
        }
}

TEST(an_interval_is_widened_and_none_is_known_without_the_yardstick_s) {
        _cleanup_(json_decrefp) json_t *json = result();
        json_t *one = json_object_get(json_array_get(result_rows(json), 1), "time_ns");
        json_t *two = json_object_get(json_array_get(result_rows(json), 2), "time_ns");
        Times times;
        RowEstimate time;

        json_object_set_new(one, "low", json_real(4 * exp(-0.03)));
        json_object_set_new(one, "high", json_real(4 * exp(0.03)));
        json_object_set_new(two, "low", json_real(6 * exp(-0.04)));
        json_object_set_new(two, "high", json_real(6 * exp(0.04)));
        times = scaled(json, "one");
        time = times_estimate(&times, row_at(json, 2));
        assert_float_equal(time.low, 1.5 * exp(-0.05), 1e-12);
        assert_float_equal(time.high, 1.5 * exp(0.05), 1e-12);
        json_object_set_new(two, "point", json_real(0));
        json_object_set_new(two, "low", json_real(-3));
        time = times_estimate(&times, row_at(json, 2));
        assert_float_equal(time.low, -3.0 / 4, 1e-12); /* a time of 0 has no relative error */

        times = scaled(json, "two/n=11"); /* which has no interval */
        time = times_estimate(&times, row_at(json, 1));
        assert_true(isfinite(time.point) && isnan(time.low) && isnan(time.high));
        assert_cell(cell_interval, NULL, row_at(json, 1), &times, "");
}

TEST(the_machines_of_the_yardstick_have_its_error_already) {
        _cleanup_(json_decrefp) json_t *json = result(), *of_one = NULL, *of_two = NULL;
        json_t *machines = json_pack("[{s:s, s:f, s:f, s:f}]", "name", "alder", "point", 4.0, "low", 3.0, "high", 5.0);
        json_t *one = json_array_get(result_rows(json), 1), *two = json_array_get(result_rows(json), 2);
        RowEstimate time;
        Times times;

        json_object_set(one, "machines", machines);
        json_object_set_new(two, "machines", machines);
        json_object_set_new(json_object_get(one, "time_ns"), "low", json_real(3));
        json_object_set_new(json_object_get(one, "time_ns"), "high", json_real(5));
        times = scaled(json, "one");
        of_one = fleet_machine_row(one, 0);
        of_two = fleet_machine_row(two, 0);
        time = times_estimate(&times, of_one);
        assert_true(time.point == 1 && time.low == 0.75 && time.high == 1.25);
        time = times_estimate(&times, of_two);
        assert_true(time.point == 1 && time.low < 0.75 && time.high > 1.25);
}

/* A name is whole: "tw" is not "two", nor "n=1" "n=11", and an area alone is no benchmark. */
TEST(by_what_is_not_there_has_no_time_or_is_several_nothing_is_scaled) {
        static const char *const names[] = { "three", "zero", "tw", "a", "a/", "two/n=", "one/n=11", "b/one" };
        _cleanup_(json_decrefp) json_t *json = result();

        Times times = { .unit = unit_find_time("us") };

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                assert_int_equal(scale_find(&times, json, names[i]), SCALE_E_NONE);
        assert_int_equal(scale_find(&times, json, "two"), SCALE_E_SEVERAL);
        assert_cell(cell_time, "time_ns.point", row_at(json, 1), &times, "0.004000 µs");
}
