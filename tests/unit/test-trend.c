/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times over earlier runs: which benchmarks are gathered, and when a run counts as another than the one before.
 */

#include "ctl/trend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "ctl/json-path.h"
#include "ctl/report.h"
#include "util/cleanup.h"

/* Adds a run of the benchmark a/x with @arg, measured under the conditions @key, as the run before all others. */
static void add_run(json_t *trend, const char *key, int arg, double low, double high, const char *filter) {
        json_t *result = json_pack(
                        "{s:s, s:s, s:s, s:s, s:{s:s}, s:[{s:s, s:s, s:{s:i}, s:i, s:n, s:{s:f, s:f, s:f}}]}", "run_id",
                        "0123456789abcdef0123456789abcdef", "started_at", "2026-05-01T12:30:15.123Z",
                        "comparability_key", key, "verdict", "fit", "module", "name", "m.so", "benchmarks", "area", "a",
                        "name", "x", "args", "n", arg, "threads", 1, "side", "time_ns", "point", (low + high) / 2,
                        "low", low, "high", high);

        assert_non_null(result);
        assert_int_equal(trend_add(trend, result, filter), 0);
        json_decref(result);
}

static const char *mark_of(const json_t *trend, size_t run) {
        const json_t *row = json_array_get(json_at(trend, "benchmarks"), 0);

        return json_text_at(json_array_get(json_at(row, "runs"), run), "change");
}

static void a_run_whose_interval_leaves_that_of_the_run_before_is_marked(void **state) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();

        add_run(trend, "k", 1, 9, 10, "x");  /* the latest: faster than the one before */
        add_run(trend, "k", 1, 11, 12, "x"); /* overlaps */
        add_run(trend, "k", 1, 10, 11, "x"); /* touches: no mark */
        add_run(trend, "k", 1, 8, 10, "x");  /* slower than the first */
        add_run(trend, "k", 1, 5, 6, "x");   /* the first */
        assert_int_equal(trend_mark(trend), 0);
        assert_string_equal(mark_of(trend, 0), "faster");
        assert_null(mark_of(trend, 1));
        assert_null(mark_of(trend, 2));
        assert_string_equal(mark_of(trend, 3), "slower");
        assert_null(mark_of(trend, 4));
}

static void other_conditions_are_not_compared_with(void **state) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();

        add_run(trend, "k", 1, 10, 11, "*");
        add_run(trend, "other", 1, 50, 51, "*");
        add_run(trend, "k", 1, 5, 6, "*");
        assert_int_equal(trend_mark(trend), 0);
        assert_string_equal(mark_of(trend, 0), "slower");
        assert_null(mark_of(trend, 1));
}

static void each_argument_is_a_row_and_a_filter_chooses(void **state) {
        static const char *const filters[] = { "x", "a/x", "x/n=1", "a", "*/n=1", "x/n=*" };
        _cleanup_(json_decrefp) json_t *trend = trend_new(), *none = trend_new();

        for (size_t i = 0; i < N_ELEMENTS(filters); i++)
                add_run(trend, "k", 1, 1, 2, filters[i]);
        assert_int_equal(json_array_size(json_at(trend, "benchmarks")), 1);
        assert_int_equal(json_array_size(json_at(json_array_get(json_at(trend, "benchmarks"), 0), "runs")),
                        N_ELEMENTS(filters));
        add_run(trend, "k", 2, 1, 2, "x");
        assert_int_equal(json_array_size(json_at(trend, "benchmarks")), 2);
        add_run(none, "k", 1, 1, 2, "y");
        add_run(none, "k", 1, 1, 2, "x/n=2");
        assert_int_equal(json_array_size(json_at(none, "benchmarks")), 0);
}

/* The table of two runs, the later one slower, in a terminal of @width columns (0: no limit). The caller frees it. */
static char *print_slower(unsigned width, double low, double high, double later_low, double later_high) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        char *text;
        size_t n;
        FILE *out;

        add_run(trend, "k", 1, later_low, later_high, "x");
        add_run(trend, "k", 1, low, high, "x");
        assert_int_equal(trend_mark(trend), 0);
        out = open_memstream(&text, &n);
        assert_int_equal(report_trend(trend, &(View){ .width = width }, out), 0);
        fclose(out);
        return text;
}

static void a_line_has_the_time_its_interval_and_the_direction(void **state) {
        _cleanup_(freep) char *text = print_slower(0, 5, 7, 11, 13);

        assert_non_null(strstr(text, "a/x n=1\n"));
        assert_non_null(strstr(text, "12.00 ns  11.0 … 13.0 ns  slower  m.so\n"));
        assert_non_null(strstr(text, "6.000 ns  5.00 … 7.00 ns          m.so\n"));
}

/* Noise of the widest text beside a direction: the interval leaves before the line is wider than the terminal. */
static void no_line_is_wider_than_a_narrow_terminal(void **state) {
        _cleanup_(freep) char *text = print_slower(44, 0.311, 1.00, 1.5, 1.6);

        assert_non_null(strstr(text, "1.550 ns  slower\n"));
        assert_non_null(strstr(text, "95 % interval")); /* among those that had no room */
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                assert_in_range(strlen(line), 1, 44);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_run_whose_interval_leaves_that_of_the_run_before_is_marked),
                cmocka_unit_test(other_conditions_are_not_compared_with),
                cmocka_unit_test(each_argument_is_a_row_and_a_filter_chooses),
                cmocka_unit_test(a_line_has_the_time_its_interval_and_the_direction),
                cmocka_unit_test(no_line_is_wider_than_a_narrow_terminal),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
