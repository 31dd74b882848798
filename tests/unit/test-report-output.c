/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a module printed: its last lines explain a failure, and of anything else there is a note. */

#include "ctl/show/report-output.h"

#include <jansson.h>

#include "ctl/model/columns.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "test.h"

static json_t *benchmark(const char *code, const char *output, json_int_t n) {
        json_t *json = json_pack("{s:s, s:s, s:s, s:I}", "area", "a", "name", "b", "output", output, "output_bytes", n);

        if (code)
                json_object_set_new(json, "failed", json_pack("{s:s, s:s}", "code", code, "message", "It fell."));
        return json;
}

TEST(only_a_failure_has_its_lines_in_the_table) {
        static const struct {
                const char *code;
                const char *expected;
        } rows[] = { { "crashed", "    | last words\n" }, { "skipped", "" }, { NULL, "" } };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(json_decrefp) json_t *json = benchmark(rows[i].code, "last words\n", 11);
                _cleanup_(grid_freep) Grid *grid = NULL;
                _cleanup_(freep) char *text = NULL;
                FILE *stream;
                size_t n;

                assert_int_equal(grid_new(&(Column){ .title = "", .flags = COLUMN_LEFT }, 1, &grid), 0);
                assert_int_equal(report_output_add(grid, json), 0);
                stream = open_memstream(&text, &n);
                grid_print(grid, &(View){}, 0, stream);
                fclose(stream);
                assert_string_equal(text, rows[i].expected);
        }
}

TEST(a_note_counts_bytes) {
        static const struct {
                json_int_t n;
                const char *expected;
        } rows[] = { { 1, "printed 1 byte" }, { 37, "printed 37 bytes" }, { 65536, "printed 65,536 bytes" } };
        char text[UNIT_TEXT_MAX];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(json_decrefp) json_t *json = benchmark(NULL, "x", rows[i].n);

                assert_true(cell_describe_output(json, text));
                assert_string_equal(text, rows[i].expected);
        }
        for (json_int_t n = -1; n < 1; n++) {
                _cleanup_(json_decrefp) json_t *json = benchmark(NULL, "x", n);

                assert_false(cell_describe_output(json, text));
        }
}
