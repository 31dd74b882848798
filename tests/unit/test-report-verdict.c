/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The last line of a result: it counts the rows that the table shows, by the words that stand in them. */

#include <jansson.h>

#include "ctl/model/cell.h"
#include "ctl/model/rows.h"
#include "ctl/model/view.h"
#include "ctl/show/report.h"
#include "test.h"

#define FIT              "'disturbed': {'unfit': false}"
#define UNFIT            "'disturbed': {'unfit': true}"
#define SHARED           UNFIT ", 'findings': [{'kind': 'unfit-shared-core', 'note': 'while shared', 'advice': 'later'}]"
#define TRACED           "'debugger_attached': true"
#define BLIND            "'findings': [{'kind': 'unwatched', 'note': 'unwatched', 'advice': 'no probe'}]"
#define NOTHING          "{'name': 'NOTHING', 'area': '', " UNFIT "}"
#define ROW(of)          "{'name': 'x', 'area': 'a', " of "}"
#define SKIPPED          "{'name': 'x', 'area': 'a', 'failed': {'code': 'skipped'}}"
#define SIDES(i)         "{'name': 'x', 'area': 'a', 'index': " i ", 'side': 'old', " FIT "}"
#define PAIR(i, verdict) "{'name': 'x', 'area': 'a', 'index': " i ", 'verdict': " verdict "}"

/* @text is JSON with ' for ". */
static json_t *json_of(const char *text) {
        _cleanup_(freep) char *quoted = strdup(text);
        json_t *json;

        for (char *c = quoted; *c; c++)
                *c = *c == '\'' ? '"' : *c;
        json = json_loads(quoted, 0, NULL);
        assert_non_null(json);
        return json;
}

static void check_line(const char *text, const char *expected) {
        _cleanup_(json_decrefp) json_t *result = json_of(text);
        _cleanup_(freep) char *line = NULL;
        size_t n;
        FILE *out = open_memstream(&line, &n);

        assert_int_equal(report_result_verdict(result, &(View){}, out), 0);
        fclose(out);
        assert_string_equal(line, expected);
}

TEST(a_run_counts_its_rows_and_never_the_empty_loop) {
        static const struct {
                const char *text;
                const char *line;
        } rows[] = {
                { "{'verdict': 'fit', 'benchmarks': [" ROW(FIT) ", " SKIPPED "]}", "OK: 2 benchmarks, 1 skipped.\n" },
                { "{'verdict': 'unfit', 'run_id': '00112233445566', 'benchmarks': [" ROW(FIT) ", " ROW(UNFIT) ", " ROW(
                                  FIT) "]}",
                                "1 of 3 rows not reliable. Job 00112233.\n" },
                { "{'verdict': 'unfit', 'method': 'measureit', 'benchmarks': [" NOTHING ", " ROW(UNFIT) "]}",
                                "1 of 1 row not reliable, by measureit.\n" },
                { "{'verdict': 'unfit', 'benchmarks': [" NOTHING ", " ROW(FIT) "]}",
                                "Not reliable: 1 benchmark; NOTHING, which is subtracted from them, was disturbed too much.\n" },
                { "{'verdict': 'unfit', 'benchmarks': [" ROW(SHARED) ", " ROW(TRACED) ", " ROW(UNFIT) ", " ROW(
                                  FIT) "]}",
                                "3 of 4 rows not reliable (1 while shared, 1 traced).\n" },
                { "{'verdict': 'partial', 'benchmarks': [" ROW(UNFIT) ", " SKIPPED "]}",
                                "Partial: 2 benchmarks, 1 skipped, 1 not reliable.\n" },
                { "{'verdict': 'cannot-tell', 'benchmarks': [" ROW(BLIND) ", " ROW(FIT) "]}",
                                "Cannot tell: 1 of 2 rows unwatched.\n" },
                { "{'verdict': 'fit', 'benchmarks': [" ROW(BLIND) ", " ROW(FIT) "]}",
                                "OK: 2 benchmarks, 1 unwatched.\n" },
                { "{'verdict': 'skipped', 'benchmarks': [" SKIPPED "]}", "Skipped: 1 benchmark.\n" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                check_line(rows[i].text, rows[i].line);
}

TEST(a_comparison_counts_pairs_by_verdict_and_a_pair_is_as_reliable_as_its_sides) {
        check_line("{'verdict': 'fit', 'benchmarks': [" SIDES("1") ", " SIDES("2") ", " SIDES(
                                   "3") "], 'comparisons': [" PAIR("1", "'faster'") ", " PAIR("2",
                                   "'unresolved'") ", " PAIR("3", "null") "]}",
                        "OK: 3 comparisons, 1 faster, 1 unresolved, 1 without a ratio.\n");
        check_line("{'verdict': 'unfit', 'benchmarks': [{'name': 'x', 'area': 'a', 'index': 2, 'side': 'new', " SHARED
                   "}],"
                   "'comparisons': [" PAIR("1", "'slower'") ", " PAIR("2", "'same'") "]}",
                        "1 of 2 rows not reliable (1 while shared): 1 slower, 1 same.\n");
        check_line("{'verdict': 'partial', 'benchmarks': [{'name': 'x', 'area': 'a', 'index': 1, 'side': 'new', 'failed': {'code': 'crashed'}},"
                   "{'name': 'x', 'area': 'a', 'index': 1, 'side': 'old', 'failed': {'code': 'crashed'}}],"
                   "'comparisons': [" PAIR("1", "null") ", " PAIR("2", "'same'") "]}",
                        "Partial: 2 comparisons, 1 same, 1 failed.\n");
}

static void check_name(const char *new, const char *old, const char *pair, const char *expected) {
        _cleanup_(json_decrefp) json_t *result =
                        json_pack("{s:{s:s}, s:{s:s}}", "module", "name", new, "old_module", "name", old);
        _cleanup_(json_decrefp) json_t *pairs = json_array();
        _cleanup_(freep) char *name = NULL;

        json_array_append_new(pairs, json_of(pair));
        rows_shorten_names(result, pairs);
        name = cell_make(cell_path, NULL, json_array_get(pairs, 0), NULL);
        assert_string_equal(name, expected);
}

TEST(names_are_without_areas_that_are_only_files) {
        check_name("new.c", "old.c",
                        "{'name': 'f', 'area': 'new', 'old_name': 'f', 'old_area': 'old', 'args': {'n': 8}}", "f n=8");
        check_name("v1/hash v2.c", "v2/hash.c", "{'name': 'f', 'area': 'hash_v2', 'old_name': 'f', 'old_area': 'hash'}",
                        "f");
        check_name("m.c", "m.c", "{'name': 'mod_16', 'area': 'm', 'old_name': 'mod_13', 'old_area': 'm'}",
                        "mod_16 against mod_13");
        check_name("b.so", "b.so", "{'name': 'f', 'area': 'sorting'}", "sorting/f");
        check_name("new.so", "old.so", "{'name': 'f', 'area': 'a', 'old_name': 'g', 'old_area': 'a'}", "a/f against g");
        check_name("new.so", "old.so", "{'name': 'f', 'area': 'a', 'old_name': 'f', 'old_area': 'b'}",
                        "a/f against b/f");
}

static void check_verdict(const char *verdict, double point, double low, double high, const char *expected) {
        _cleanup_(json_decrefp) json_t *pair = json_pack("{s:s, s:{s:f, s:f, s:f}}", "verdict", verdict, "ratio",
                        "point", point, "low", low, "high", high);
        _cleanup_(freep) char *text = cell_make(cell_verdict, "verdict", pair, NULL);

        assert_string_equal(text, expected);
}

TEST(a_verdict_says_how_many_times_and_no_digit_that_its_interval_forbids) {
        check_verdict("faster", 0.12693, 0.1265, 0.1274, "7.9 × faster");
        check_verdict("faster", 0.9642, 0.9594, 0.9689, "1.037 × faster");
        check_verdict("slower", 1.252, 1.240, 1.265, "1.25 × slower");
        check_verdict("slower", 130.4, 130.2, 130.6, "130 × slower");
        check_verdict("faster", 0.54, 0.40, 0.72, "1.4 … 2.5 × faster");
        check_verdict("same", 1.0001, 0.9995, 1.0007, "same");
        check_verdict("unresolved", 0.9, 0.7, 1.1, "unresolved");
}
