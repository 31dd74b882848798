/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Findings below a table: each once, with its rows by name where the line has room, else by their number. */

#include "ctl/model/findings.h"

#include <jansson.h>

#include "ctl/model/cell.h"
#include "ctl/model/view.h"
#include "test.h"

#define WIDE  "{'kind': 'wide', 'note': null, 'advice': 'wide interval'}"
#define EMPTY "{'kind': 'empty-loop', 'note': 'empty loop', 'advice': 'its work was compiled away'}"
#define SKEW  "{'kind': 'skew', 'note': 'skewed', 'advice': 'mean and median lie apart'}"

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

static char *printed(const char *text, unsigned width) {
        _cleanup_(json_decrefp) json_t *rows = json_of(text);
        char *all;
        size_t n;
        FILE *out = open_memstream(&all, &n);

        assert_int_equal(findings_print(rows, cell_print_name, &(View){ .width = width }, out), 0);
        fclose(out);
        return all;
}

TEST(a_finding_is_printed_once_with_its_rows) {
        static const char rows[] = "[{'name': 'a', 'warnings': ['± 7 %'], 'findings': [" WIDE "]},"
                                   "{'name': 'b', 'warnings': ['x 2', '± 9 %'], 'findings': [" SKEW ", " WIDE "]},"
                                   "{'name': 'c', 'args': {'n': 16}, 'within_loop_cost': true}]";
        _cleanup_(freep) char *wide = printed(rows, 80), *narrow = printed(rows, 20);

        assert_string_equal(wide, "- wide interval (a, b)\n"
                                  "- mean and median lie apart (b)\n"
                                  "- as short as the loop itself: repeat the body (BENCH_REPEAT10) (c n=16)\n");
        assert_non_null(strstr(narrow, "- wide interval (2\n  rows)\n"));
}

TEST(a_row_below_the_floor_is_not_also_told_that_it_is_as_short_as_the_loop) {
        _cleanup_(freep) char *text = printed("[{'name': 'a', 'below_noise_floor': true, 'within_loop_cost': true},"
                                              "{'name': 'b', 'within_loop_cost': true}]",
                        80);

        assert_string_equal(text, "- below the noise floor of the harness: repeat the body (BENCH_REPEAT10) (a)\n"
                                  "- as short as the loop itself: repeat the body (BENCH_REPEAT10) (b)\n");
}

TEST(one_row_alone_and_all_rows_need_no_names) {
        _cleanup_(freep) char *one = printed("[{'name': 'a', 'warnings': ['w'], 'findings': [" WIDE "]}]", 80);
        _cleanup_(freep) char *all = printed("[{'name': 'a', 'warnings': ['w'], 'findings': [" WIDE "]},"
                                             "{'name': 'b', 'warnings': ['w'], 'findings': [" WIDE "]}]",
                        80);

        assert_string_equal(one, "- wide interval\n");
        assert_string_equal(all, "- wide interval (all rows)\n");
}

TEST(two_warnings_of_one_kind_are_one_finding) {
        _cleanup_(freep) char *text =
                        printed("[{'name': 'a', 'warnings': ['1', '2'], 'findings': [" WIDE ", " WIDE "]}]", 80);

        assert_string_equal(text, "- wide interval\n");
}

TEST(the_worst_is_the_note_of_a_row) {
        static const struct {
                const char *row;
                const char *note;
        } rows[] = {
                { "{'findings': [" WIDE "]}", NULL },
                { "{'findings': [" WIDE ", " SKEW "]}", "skewed" },
                { "{'findings': [" SKEW "], 'below_noise_floor': true}", "noise floor" },
                { "{'findings': [" EMPTY "], 'below_noise_floor': true, 'within_loop_cost': true}", "empty loop" },
                { "{'findings': [" SKEW "], 'below_noise_floor': true, 'disturbed': {'unfit': true}}", "not reliable" },
                { "{'findings': [" SKEW "], 'below_noise_floor': true, 'debugger_attached': true}", "traced" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(json_decrefp) json_t *row = json_of(rows[i].row);
                const char *note = findings_note(row);

                assert_true(rows[i].note ? note && strcmp(note, rows[i].note) == 0 : !note);
        }
}
