/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times over earlier runs: which benchmarks are gathered, which runs are held against each other, and how often a mark or a drift is told
 * where there is none, and where there is one.
 */

#include "ctl/model/trend.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/show/report.h"
#include "random.h"
#include "stats/interval.h"

/* Adds a run of the benchmark a/x with @arg, measured under the conditions @key, as the run before all others. */
static void add_run_of(json_t *trend, const char *key, const char *measurand, int arg, double low, double high,
                const char *filter) {
        json_t *result = json_pack(
                        "{s:s, s:s, s:s, s:s, s:{s:s}, s:[{s:s, s:s, s:{s:i}, s:i, s:n, s:s?, s:{s:f, s:f, s:f}}]}",
                        "run_id", "0123456789abcdef0123456789abcdef", "started_at", "2026-05-01T12:30:15.123Z",
                        "comparability_key", key, "verdict", "fit", "module", "name", "m.so", "benchmarks", "area", "a",
                        "name", "x", "args", "n", arg, "threads", 1, "side", "measurand", measurand, "time_ns", "point",
                        (low + high) / 2, "low", low, "high", high);

        assert_non_null(result);
        assert_int_equal(trend_add(trend, result, filter), 0);
        json_decref(result);
}

static void add_run(json_t *trend, const char *key, int arg, double low, double high, const char *filter) {
        add_run_of(trend, key, NULL, arg, low, high, filter);
}

static const char *mark_of(const json_t *trend, size_t run) {
        const json_t *row = json_array_get(json_at(trend, "benchmarks"), 0);

        return json_text_at(json_array_get(json_at(row, "runs"), run), "change");
}

TEST(a_run_that_leaves_the_level_of_those_before_is_marked) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();

        add_run(trend, "k", 1, 9.99, 10.01, "x"); /* the latest: the old level, but still unlike the last ten */
        for (size_t i = 0; i < 7; i++)
                add_run(trend, "k", 1, 10.49, 10.51, "x"); /* the new one, for longer than half of ten runs */
        for (size_t i = 0; i < 8; i++)
                add_run(trend, "k", 1, 9.99, 10.01, "x");
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        assert_string_equal(mark_of(trend, 0), "faster");
        assert_null(mark_of(trend, 1));
        for (size_t i = 3; i <= 7; i++)
                assert_string_equal(mark_of(trend, i), "slower");
        for (size_t i = 8; i < 16; i++)
                assert_null(mark_of(trend, i));
}

/* Adds a run of the commit of the minute @commit, or of none, measured in the minute @start. */
static void add_run_at(json_t *trend, int commit, int start, double time) {
        char started[32], committed[32];
        json_t *result;

        snprintf(started, sizeof started, "2026-05-01T12:%02d:00.000Z", start);
        snprintf(committed, sizeof committed, "2026-04-01T12:%02d:00.000Z", commit);
        result = json_pack("{s:s, s:s, s:s, s:{s:s, s:o}, s:[{s:s, s:s, s:{}, s:{s:f, s:f, s:f}}]}", "run_id",
                        "0123456789abcdef0123456789abcdef", "started_at", started, "comparability_key", "k", "module",
                        "name", "m.so", "commit",
                        commit < 0 ? json_null() : json_pack("{s:s, s:s}", "id", "r1", "committed_at", committed),
                        "benchmarks", "area", "a", "name", "x", "args", "time_ns", "point", time, "low", time - 0.01,
                        "high", time + 0.01);
        assert_non_null(result);
        assert_int_equal(trend_add(trend, result, "x"), 0);
        json_decref(result);
}

TEST(commits_order_runs_that_all_have_one_and_marks_follow) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        const json_t *row;

        add_run_at(trend, 1, 9, 10); /* the oldest commit, measured last */
        add_run_at(trend, 3, 8, 12);
        add_run_at(trend, 2, 7, 10);
        add_run_at(trend, 3, 6, 12);
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        row = json_array_get(json_at(trend, "benchmarks"), 0);
        assert_string_equal(json_text_at(row, "ordered_by"), "commit");
        assert_string_equal(json_text_at(row, "runs.0.started_at"), "2026-05-01T12:08:00.000Z");
        assert_string_equal(json_text_at(row, "runs.1.started_at"), "2026-05-01T12:06:00.000Z");
        assert_string_equal(json_text_at(row, "runs.3.started_at"), "2026-05-01T12:09:00.000Z");
        assert_string_equal(mark_of(trend, 1), "slower");
        assert_null(mark_of(trend, 2));
}

TEST(a_run_without_a_commit_leaves_all_in_the_order_of_their_start) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        const json_t *row;

        add_run_at(trend, 1, 9, 10);
        add_run_at(trend, -1, 8, 10);
        add_run_at(trend, 3, 7, 10);
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        row = json_array_get(json_at(trend, "benchmarks"), 0);
        assert_string_equal(json_text_at(row, "ordered_by"), "start");
        assert_string_equal(json_text_at(row, "runs.0.started_at"), "2026-05-01T12:09:00.000Z");
}

TEST(few_runs_before_are_held_to_the_margin_of_a_baseline) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();

        add_run(trend, "k", 1, 9.99, 10.01, "x");  /* 2 % over the median of the two before */
        add_run(trend, "k", 1, 11.69, 11.71, "x"); /* 19 % over the first */
        add_run(trend, "k", 1, 9.79, 9.81, "x");
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        assert_null(mark_of(trend, 0));
        assert_string_equal(mark_of(trend, 1), "slower");
        assert_null(mark_of(trend, 2));
}

/* A run of which another row was disturbed is reliable in this one; the empty loop of a method has no history. */
TEST(a_note_is_of_the_row_and_not_of_its_run) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        _cleanup_(json_decrefp) json_t *result = json_pack(
                        "{s:s, s:[{s:s, s:s, s:{s:f}, s:{s:b}}, {s:s, s:s, s:{s:f}, s:{s:b}}, {s:s, s:s, s:{s:f}}]}",
                        "verdict", "unfit", "benchmarks", "area", "a", "name", "x", "time_ns", "point", 1.0,
                        "disturbed", "unfit", 0, "area", "a", "name", "y", "time_ns", "point", 1.0, "disturbed",
                        "unfit", 1, "area", "", "name", "NOTHING", "time_ns", "point", 1.0);
        const json_t *rows;

        assert_int_equal(trend_add(trend, result, "*"), 0);
        rows = json_at(trend, "benchmarks");
        assert_int_equal(json_array_size(rows), 2);
        assert_string_equal(trend_note(json_array_get(json_at(json_array_get(rows, 0), "runs"), 0)), "");
        assert_string_equal(trend_note(json_array_get(json_at(json_array_get(rows, 1), "runs"), 0)), "not reliable");
}

TEST(times_alone_and_beside_a_neighbour_are_two_histories) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();

        add_run_of(trend, "k", "alone", 1, 4.99, 5.01, "x");
        add_run_of(trend, "k", "shared", 1, 9.99, 10.01, "x");
        add_run_of(trend, "k", "alone", 1, 4.99, 5.01, "x");
        add_run_of(trend, "k", "shared", 1, 7.99, 8.01, "x");
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        assert_null(mark_of(trend, 0));
        assert_string_equal(mark_of(trend, 1), "slower");
        assert_null(mark_of(trend, 2));
}

/* Adds a run as the run before all others; @tuning: why its settings were left, or NULL. */
static void add_run_under(json_t *trend, const char *job, const char *key, const char *kernel, const char *tuning) {
        json_t *result = json_pack(
                        "{s:s, s:s, s:s, s:{s:s, s:[]}, s:[{s:s, s:s, s:{}, s:{s:f, s:f, s:f}}, {s:s, s:s, s:{}, s:{s:f, s:f, s:f}}]}",
                        "run_id", job, "started_at", "2026-05-01T12:30:15.123Z", "comparability_key", key,
                        "environment", "kernel", kernel, "controls", "benchmarks", "area", "a", "name", "x", "args",
                        "time_ns", "point", 10.0, "low", 9.9, "high", 10.1, "area", "a", "name", "y", "args", "time_ns",
                        "point", 10.0, "low", 9.9, "high", 10.1);

        assert_non_null(result);
        if (tuning)
                json_array_append_new((json_t *)json_at(result, "environment.controls"),
                                json_pack("{s:s, s:s, s:s}", "name", "tuning", "outcome", "denied", "is", tuning));
        assert_int_equal(trend_add(trend, result, "*"), 0);
        json_decref(result);
}

static int append(void *sentences, const char *sentence) {
        return json_array_append_new(sentences, json_string(sentence));
}

TEST(a_run_that_is_like_none_before_says_once_what_differs_and_what_helps) {
        _cleanup_(json_decrefp) json_t *trend = trend_new(), *told = json_array();
        const json_t *run;

        add_run_under(trend, "55555555", "k", "6.2", NULL); /* like an earlier one */
        add_run_under(trend, "44444444", "b", "6.2", "another benchd has set them");
        add_run_under(trend, "33333333", "k", "6.2", NULL);
        add_run_under(trend, "22222222", "n", "6.1", "no restore journal: nothing is changed");
        add_run_under(trend, "11111111", "o", "6.1", NULL);
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        assert_int_equal(trend_tell_conditions(trend, append, told), 0);
        assert_int_equal(json_array_size(told), 3);
        assert_string_equal(json_string_value(json_array_get(told, 0)),
                        "job 44444444 has no mark, since the run before it was measured under other conditions: the "
                        "machine's settings were benchd's, and are left as they are now: another benchd has set them. Wait "
                        "until the other run has ended, and measure again.");
        assert_non_null(strstr(json_string_value(json_array_get(told, 1)), "33333333"));
        assert_non_null(strstr(json_string_value(json_array_get(told, 1)), "the kernel was 6.1 and is 6.2; "));
        assert_null(strstr(json_string_value(json_array_get(told, 2)), "Wait"));
        run = json_array_get(json_at(json_array_get(json_at(trend, "benchmarks"), 0), "runs"), 1);
        assert_string_equal(trend_note(run), "other conditions");
        assert_null(json_object_get(run, "conditions"));
}

/* Adds a run of ten processes whose logs spread by @spread about @level. */
static void add_drawn(gsl_rng *random, json_t *trend, double level, double spread) {
        double logs[10];
        Interval time;

        for (size_t i = 0; i < N_ELEMENTS(logs); i++)
                logs[i] = level + gsl_ran_gaussian(random, spread);
        assert_int_equal(interval_of_mean(logs, NULL, N_ELEMENTS(logs), 0.95, &time), 0);
        add_run(trend, "k", 1, exp(time.low), exp(time.high), "x");
}

/* The share of histories of @n runs, each slower than the one before by @step, and by chance by @of_runs, that tell of a drift. */
static double share_drifting(gsl_rng *random, int n, double step, double of_runs, double of_processes) {
        int n_told = 0;

        for (int trial = 0; trial < 400; trial++) {
                _cleanup_(json_decrefp) json_t *trend = trend_new();
                const char *direction;

                for (int i = n; i-- > 0;)
                        add_drawn(random, trend, step * i + gsl_ran_gaussian(random, of_runs), of_processes);
                assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
                direction = json_text_at(json_array_get(json_at(trend, "benchmarks"), 0), "drift.direction");
                n_told += direction && (step == 0 || strcmp(direction, "slower") == 0);
        }
        return n_told / 400.0;
}

TEST(a_slowness_that_comes_in_small_steps_is_told) {
        static const struct {
                int n;
                double step, of_runs, of_processes, least, most;
        } rows[] = {
                { 20, 0.001, 0, 0.01, 0.97, 1 },
                { 20, 0.002, 0, 0.01, 0.99, 1 },
                { 20, 0.001, 0.005, 0.003, 0.6, 1 },
                { 20, 0, 0.002, 0.003, 0, 0.01 },
                { 20, 0, 0.005, 0.003, 0, 0.01 },
                { 40, 0, 0.01, 0.01, 0, 0.01 },
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const double share =
                                share_drifting(random, rows[i].n, rows[i].step, rows[i].of_runs, rows[i].of_processes);

                print_message("%d runs, each %.1f %% slower, runs %.1f %%, processes %.1f %%: told in %.2f %%\n",
                                rows[i].n, 100 * rows[i].step, 100 * rows[i].of_runs, 100 * rows[i].of_processes,
                                100 * share);
                assert_true(share >= rows[i].least - share_tolerance(rows[i].least, 400));
                assert_true(share <= rows[i].most + share_tolerance(rows[i].most, 400));
        }
}

TEST(nine_runs_are_too_few_for_a_drift_and_the_sentence_has_its_figures) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        _cleanup_(freep) char *text = NULL;
        const json_t *row;
        size_t n;
        FILE *out;

        for (int i = 9; i-- > 0;)
                add_run(trend, "k", 1, 10 + 0.1 * i - 0.01, 10 + 0.1 * i + 0.01, "x");
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        row = json_array_get(json_at(trend, "benchmarks"), 0);
        assert_null(json_at(row, "drift"));
        add_run(trend, "k", 1, 9.89, 9.91, "x");
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        out = open_memstream(&text, &n);
        assert_true(trend_print_drift(row, out));
        fclose(out);
        assert_string_equal(text, "drift: 8.7 % slower over 10 runs (p < 0.0001)");
        assert_int_equal(trend_mark(trend, 0.2), 0); /* a margin that holds it */
        assert_null(json_text_at(row, "drift.direction"));
}

TEST(other_conditions_are_not_compared_with) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();

        add_run(trend, "k", 1, 10, 11, "*");
        add_run(trend, "other", 1, 50, 51, "*");
        add_run(trend, "k", 1, 5, 6, "*");
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        assert_string_equal(mark_of(trend, 0), "slower");
        assert_null(mark_of(trend, 1));
}

TEST(each_argument_is_a_row_and_a_filter_chooses) {
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
        assert_int_equal(trend_mark(trend, TREND_MARGIN), 0);
        out = open_memstream(&text, &n);
        assert_int_equal(report_trend(trend, &(View){ .width = width }, out), 0);
        fclose(out);
        return text;
}

TEST(a_line_has_the_time_its_interval_and_the_direction) {
        _cleanup_(freep) char *text = print_slower(0, 5, 7, 11, 13);

        assert_non_null(strstr(text, "a/x n=1\n"));
        assert_non_null(strstr(text, "12.00 ns  11.0 … 13.0 ns  slower  m.so\n"));
        assert_non_null(strstr(text, "6.000 ns  5.00 … 7.00 ns          m.so\n"));
}

/* Noise of the widest text beside a direction: the interval leaves before the line is wider than the terminal. */
TEST(no_line_is_wider_than_a_narrow_terminal) {
        _cleanup_(freep) char *text = print_slower(44, 0.311, 1.00, 1.5, 1.6);

        assert_non_null(strstr(text, "1.550 ns  slower\n"));
        assert_non_null(strstr(text, "95 % interval")); /* among those that had no room */
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                assert_in_range(strlen(line), 1, 44);
}
