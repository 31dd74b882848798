/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pages of --format=html, as text: words of strangers that stay words, and the samples that a drawing keeps. */

#include <jansson.h>

#include "ctl/model/view.h"
#include "ctl/show/html/figure.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/plots/samples.h"
#include "ctl/show/show.h"
#include "test.h"

/* ---- markup */

static void assert_markup(const char *text, const char *expected) {
        _cleanup_(freep) char *found = NULL, *streamed = NULL;
        FILE *out, *stream;
        size_t n;

        out = open_memstream(&found, &n);
        assert_non_null(out);
        markup_text(text, out);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(found, expected);

        out = open_memstream(&streamed, &n);
        assert_non_null(out);
        assert_int_equal(markup_open(out, &stream), 0);
        fputs(text ? text : "", stream);
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(streamed, expected);
}

TEST(words_of_strangers_stay_words) {
        assert_markup("memchr n=16, 1.2 µs", "memchr n=16, 1.2 µs");
        assert_markup("</title><script>alert('x')</script>",
                        "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
        assert_markup("\" onload=\"a&b", "&quot; onload=&quot;a&amp;b");
        assert_markup("", "");
        assert_markup(NULL, "");
}

/* ---- samples */

/* Quiet ones about 100 ns, every tenth preempted for long, every seventh beside a neighbour. */
static json_t *benchmark_of(size_t n_processes, size_t n_samples) {
        json_t *processes = json_array();

        for (size_t i = 0; i < n_processes; i++) {
                json_t *at = json_array(), *times = json_array(), *marks = json_array();

                for (size_t k = 0; k < n_samples; k++) {
                        const int mark = k % 10 == 3 ? 2 : k % 7 == 1 ? 64 : 0;

                        json_array_append_new(at, json_integer((json_int_t)(k * 1000)));
                        json_array_append_new(marks, json_integer(mark));
                        json_array_append_new(times, json_real((100 + (double)((k * 37 + i) % 17) / 10) *
                                                                     (mark == 2 ? 50 + (double)k : 1)));
                }
                json_array_append_new(processes, json_pack("{s:f, s:{s:o, s:o, s:o}}", "median_ns", 100.8, "samples",
                                                                 "at_ns", at, "time_ns", times, "marks", marks));
        }
        return json_pack("{s:o, s:{s:f, s:f, s:f}}", "processes", processes, "time_ns", "point", 100.8, "low", 100.7,
                        "high", 100.9);
}

TEST(each_sample_has_its_class_and_the_cause_that_says_most) {
        _cleanup_(json_decrefp) json_t *benchmark = benchmark_of(3, 210);
        _cleanup_(samples_clear) PlotSamples set = {};

        assert_int_equal(samples_read(benchmark, &set), 0);
        assert_int_equal(set.n, 630);
        assert_int_equal(set.n_processes, 3);
        assert_int_equal(set.n_of_class[MARK_CLASS_DISTURBED], 63);
        assert_int_equal(set.n_of_class[MARK_CLASS_SHARED], 81);
        assert_int_equal(set.n_of_class[MARK_CLASS_QUIET], 630 - 63 - 81);
        for (size_t i = 0; i < set.n; i++)
                assert_true(set.samples[i].at >= 0 && set.samples[i].at < 3);
}

static char *drawing_of(const json_t *benchmark) {
        SamplesRange range = samples_range(NULL);
        char *text = NULL;
        FILE *out;
        size_t n;

        assert_int_equal(figure_range(benchmark, &range), 0);
        out = open_memstream(&text, &n);
        assert_non_null(out);
        assert_int_equal(figure_print("id", benchmark, &range, out), 0);
        assert_int_equal(fclose(out), 0);
        return text;
}

/* The marks of the path of @class. */
static size_t count_marks(const char *drawing, const char *class) {
        const char *path = strstr(drawing, class);
        size_t n = 0;

        for (path = path ? path + strlen(class) : NULL; path && *path && *path != '>'; path++)
                n += *path == 'm';
        return n;
}

TEST(every_disturbed_sample_is_drawn_and_others_where_there_is_room) {
        _cleanup_(json_decrefp) json_t *benchmark = benchmark_of(10, 2000);
        _cleanup_(freep) char *drawing = drawing_of(benchmark);
        size_t n_quiet;

        assert_int_equal(count_marks(drawing, "s disturbed preempted\" d="), 10 * 200);
        n_quiet = count_marks(drawing, "s quiet unmarked\" d=");
        assert_true(n_quiet > 500 && n_quiet < 10 * 2000 / 2);
        assert_true(strlen(drawing) < 60000);
        assert_non_null(strstr(drawing, ">2,000 over 1"));
        assert_non_null(strstr(drawing, ">log</text>"));
        assert_non_null(strstr(drawing, "above the dotted line: the few samples far away, on a logarithmic scale"));
}

/* A busy neighbour leaves 40 of 1,000 samples quiet; two of them, and the few that lost the core, take a hundred times as long. */
TEST(an_outlier_does_not_flatten_the_picture_where_few_samples_are_quiet) {
        json_t *at = json_array(), *times = json_array(), *marks = json_array();
        _cleanup_(json_decrefp) json_t *benchmark = NULL;
        _cleanup_(samples_clear) PlotSamples samples = {};
        SamplesRange range = samples_range(NULL);

        for (int i = 0; i < 1000; i++) {
                const bool quiet = i % 25 == 0, disturbed = i % 25 == 7;

                json_array_append_new(at, json_integer(i));
                json_array_append_new(marks, json_integer(quiet ? 0 : disturbed ? 2 : 64));
                json_array_append_new(times, json_real(disturbed || i == 25 || i == 50 ? 200 : 1.8 + 0.001 * (i % 17)));
        }
        benchmark = json_pack("{s:[{s:f, s:{s:o, s:o, s:o}}, {s:n}], s:{s:f, s:f, s:f}}", "processes", "median_ns", 1.8,
                        "samples", "at_ns", at, "time_ns", times, "marks", marks, "median_ns", "time_ns", "point", 1.8,
                        "low", 1.7, "high", 150.0);
        assert_int_equal(samples_read(benchmark, &samples), 0);
        assert_int_equal(samples_range_add(&range, benchmark, &samples), 0);
        assert_true(range.low >= 1.69 && range.high < 2.1);
}

TEST(a_process_without_a_dot_is_explained) {
        _cleanup_(json_decrefp) json_t *benchmark = benchmark_of(3, 210);
        _cleanup_(freep) char *whole = drawing_of(benchmark), *partly = NULL;

        json_object_set_new(json_array_get(json_object_get(benchmark, "processes"), 1), "median_ns", json_null());
        partly = drawing_of(benchmark);
        assert_null(strstr(whole, "have no dot"));
        assert_non_null(strstr(partly,
                        "median of a process (1 of 3 had the core alone too seldom, and so has no dot)"));
}

TEST(a_result_without_samples_has_its_histogram) {
        _cleanup_(json_decrefp) json_t *benchmark = json_pack("{s:[{s:f}, {s:f}], s:{s:f, s:{s:f, s:f, s:[i, i, i]}}}",
                        "processes", "median_ns", 9.0, "median_ns", 11.0, "time_ns", "point", 10.0, "histogram", "low",
                        8.0, "high", 12.0, "counts", 3, 0, 5);
        _cleanup_(freep) char *drawing = drawing_of(benchmark);

        assert_int_equal(count_marks(drawing, "bar quiet\" d="), 2);
        assert_int_equal(count_marks(drawing, "\"median\" d="), 2);
}

TEST(times_too_far_apart_for_an_axis_are_drawn_at_whole_places) {
        _cleanup_(json_decrefp) json_t *benchmark = json_pack("{s:[{s:f}, {s:f}], s:{s:f}}", "processes", "median_ns",
                        -1e308, "median_ns", 1e308, "time_ns", "point", 1.0);
        _cleanup_(freep) char *drawing = drawing_of(benchmark);

        assert_int_equal(count_marks(drawing, "\"median\" d="), 2);
        assert_null(strstr(drawing, "-9223372036854775808"));
}

TEST(a_benchmark_without_times_has_no_drawing) {
        _cleanup_(json_decrefp) json_t *failed = json_pack("{s:[], s:{s:n}}", "processes", "time_ns", "point");
        _cleanup_(freep) char *drawing = drawing_of(failed);

        assert_string_equal(drawing, "");
}

/* ---- pages of other kinds than a result's, which the integration tests make */

#define HOSTILE "</title><script>alert(1)</script><img src=x onerror=alert(2)>\"'"

static void hold_page_is_harmless(ShowKind kind, json_t *json) {
        _cleanup_(json_decrefp) json_t *documents = json_pack("[o]", json);
        _cleanup_(freep) char *text = NULL;
        const View view = {};
        const char *script;
        FILE *out;
        size_t n;

        assert_non_null(documents);
        out = open_memstream(&text, &n);
        assert_non_null(out);
        assert_int_equal(show_print(show_find("html"), kind, documents, &view, out), 0);
        assert_int_equal(fclose(out), 0);
        script = strstr(text, "<script>");
        assert_non_null(script);
        assert_null(strstr(script + 1, "<script>"));
        assert_null(strstr(text, "<img"));
        assert_non_null(strstr(text, "&lt;img src=x onerror=alert(2)&gt;&quot;&#39;"));
}

/* Four runs within three weeks, the latest first, the third of them under other conditions. */
TEST(a_history_is_drawn_by_its_dates_and_joins_runs_of_equal_conditions) {
        static const struct {
                const char *started, *key;
                double time_ns;
        } runs[] = {
                { "2026-11-27T10:00:00.000Z", "aa", 2.0 },
                { "2026-11-21T10:00:00.000Z", "bb", 3.0 },
                { "2026-11-07T10:00:00.000Z", "aa", 2.1 },
                { "2026-11-06T10:00:00.000Z", "aa", 2.0 },
        };
        json_t *list = json_array();
        _cleanup_(json_decrefp) json_t *trend = json_pack("{s:[{s:s, s:s, s:{}, s:o}]}", "benchmarks", "area", "a",
                        "name", "b", "args", "runs", list);
        _cleanup_(freep) char *page = NULL;
        FILE *out;
        size_t n;

        for (size_t i = 0; i < N_ELEMENTS(runs); i++)
                json_array_append_new(list,
                                json_pack("{s:s, s:s, s:{s:f}}", "started_at", runs[i].started, "comparability_key",
                                                runs[i].key, "time_ns", "point", runs[i].time_ns));
        out = open_memstream(&page, &n);
        assert_non_null(out);
        assert_int_equal(trend_print(trend, &(View){}, out), 0);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(count_marks(page, "\"drift\" d="), 2); /* of the three runs with the key aa */
        assert_int_equal(count_marks(page, "\"median\" d="), 4);
        assert_non_null(strstr(page, ">2026-11-12<"));
        assert_non_null(strstr(page, ">11-19<"));
}

static json_t *hostile_head(void) {
        return json_pack("{s:s, s:{s:s}, s:{s:s, s:{s:s}}, s:s}", "run_id", HOSTILE, "module", "name", HOSTILE,
                        "environment", "system", HOSTILE, "cpu", "brand", HOSTILE, "comparability_key", HOSTILE);
}

TEST(no_history_and_no_pair_of_results_has_markup_of_a_stranger) {
        hold_page_is_harmless(SHOW_HISTORY,
                        json_pack("{s:[{s:s, s:s, s:s, s:s, s:{s:s}}]}", "entries", "run_id", HOSTILE, "state", HOSTILE,
                                        "verdict", HOSTILE, "module_name", HOSTILE, "error", "message", HOSTILE));
        hold_page_is_harmless(SHOW_TREND,
                        json_pack("{s:[{s:s, s:s, s:{s:i}, s:[{s:s, s:s, s:s, s:{s:f}}]}]}", "benchmarks", "area",
                                        HOSTILE, "name", HOSTILE, "args", HOSTILE, 1, "runs", "run_id", HOSTILE,
                                        "module_name", HOSTILE, "change", HOSTILE, "time_ns", "point", 3.0));
        hold_page_is_harmless(SHOW_SIDE_BY_SIDE,
                        json_pack("{s:[o, o], s:[[s], [s]], s:[{s:s, s:s, s:[{s:f}, {s:f}]}]}", "results",
                                        hostile_head(), hostile_head(), "only", HOSTILE, HOSTILE, "benchmarks", "area",
                                        HOSTILE, "name", HOSTILE, "time_ns", "point", 1.0, "point", 2.0));
}
