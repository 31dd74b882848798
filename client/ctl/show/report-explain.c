/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The explanation below a comparison: both timed loops side by side, as diff -y shows them; one below the other where the terminal has no
 * room for both. Marks: | changed, < in the old loop only, > in the new one only.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/base/unit.h"
#include "ctl/model/arguments.h"
#include "ctl/model/instruction.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define EXPLAIN_INDENT 2u
#define EXPLAIN_GAP    3u /* columns between both sides, with the mark in the middle */

/* The instruction at the index that @row has for @side as text, empty where there is none; the caller's to free(). */
static char *row_text(const json_t *pair, const json_t *row, const char *side) {
        const json_t *instructions = json_at(json_at(pair, side), "instructions");
        const json_t *index = json_at(row, side);
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        if (index)
                instruction_print(json_array_get(instructions, (size_t)json_integer_value(index)), out);
        return text_stream_take(&text);
}

typedef struct RowMark {
        const char *word;
        const char *beside;    /* between both sides */
        const char *old_below; /* before the line of the old side, if one is below the other; NULL: no line */
        const char *new_below;
        GridStyle style;
} RowMark;

static const RowMark row_marks[] = {
        { "same", " ", NULL, "  ", GRID_PLAIN },
        { "changed", "|", "< ", "> ", GRID_CAUTION },
        { "old", "<", "< ", NULL, GRID_CAUTION },
        { "new", ">", NULL, "> ", GRID_CAUTION },
};

static const RowMark *row_mark(const json_t *row) {
        const char *word = json_text_at(row, "mark");

        for (size_t i = 0; word && i < N_ELEMENTS(row_marks); i++)
                if (strcmp(row_marks[i].word, word) == 0)
                        return &row_marks[i];
        return &row_marks[0];
}

/* ---- the loops */

/* The widest instruction of @side; 0 where memory ran out. */
static size_t side_width(const json_t *pair, const char *side) {
        size_t widest = strlen(side);
        const json_t *row;

        json_each(i, row, json_at(pair, "rows")) {
                _cleanup_(freep) char *text = row_text(pair, row, side);
                const size_t width = text ? typeset_width(text) : 0;

                widest = width > widest ? width : widest;
        }
        return widest;
}

static int print_beside(const json_t *pair, size_t old_width, const View *view, FILE *out) {
        const json_t *row;

        fprintf(out, "%*s", (int)EXPLAIN_INDENT, "");
        grid_print_styled(GRID_DIM, view->color, "old", out);
        fprintf(out, "%*s", (int)(old_width - strlen("old") + EXPLAIN_GAP), "");
        grid_print_styled(GRID_DIM, view->color, "new", out);
        fputc('\n', out);
        json_each(i, row, json_at(pair, "rows")) {
                const RowMark *mark = row_mark(row);
                _cleanup_(freep) char *old = row_text(pair, row, "old"), *new = row_text(pair, row, "new"),
                                      *line = NULL;

                if (!old || !new ||
                                asprintf(&line, "%*s%s%*s %s%s%s", (int)EXPLAIN_INDENT, "", old,
                                                (int)(old_width - typeset_width(old)), "", mark->beside,
                                                *new ? " " : "", new) < 0)
                        return error_origin(-ENOMEM);
                grid_print_styled(mark->style, view->color, line, out);
                fputc('\n', out);
        }
        return 0;
}

static int print_line_below(const char *begin, const char *text, const RowMark *mark, const View *view, FILE *out) {
        _cleanup_(freep) char *line = NULL;

        if (asprintf(&line, "%s%s", begin, text) < 0)
                return error_origin(-ENOMEM);
        if (view->width > 0 && typeset_width(line) > view->width) {
                typeset_cut(line, view->width - 1);
                grid_print_styled(mark->style, view->color, line, out);
                fputs("…\n", out);
                return 0;
        }
        grid_print_styled(mark->style, view->color, line, out);
        fputc('\n', out);
        return 0;
}

static int print_below(const json_t *pair, const View *view, FILE *out) {
        const json_t *rows = json_at(pair, "rows");
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);
                const RowMark *mark = row_mark(row);
                _cleanup_(freep) char *old = row_text(pair, row, "old"), *new = row_text(pair, row, "new");

                if (!old || !new)
                        return error_origin(-ENOMEM);
                if (mark->old_below)
                        r = print_line_below(mark->old_below, old, mark, view, out);
                if (r == 0 && mark->new_below)
                        r = print_line_below(mark->new_below, new, mark, view, out);
        }
        return error_trace(r);
}

/* Loops that are the same are shown once. */
static int print_loops(const json_t *pair, const View *view, FILE *out) {
        const size_t old_width = side_width(pair, "old"), new_width = side_width(pair, "new");
        const size_t width = EXPLAIN_INDENT + old_width + EXPLAIN_GAP + new_width;

        if (!json_flag_at(pair, "same") && (view->width == 0 || width <= view->width))
                return error_trace(print_beside(pair, old_width, view, out));
        return error_trace(print_below(pair, view, out));
}

/* ---- words */

static size_t count_differences(const json_t *pair) {
        const json_t *row;
        size_t n = 0;

        json_each(i, row, json_at(pair, "rows"))
                n += row_mark(row) != &row_marks[0];
        return n;
}

static void describe_called(const json_t *called, FILE *out) {
        const char *separator = "";
        const json_t *function;

        json_each(i, function, called) {
                if (json_flag_at(function, "same"))
                        continue;
                fprintf(out, "%s%s", *separator ? separator : " Called functions that differ: ",
                                json_text_or(function, "name", "?"));
                separator = ", ";
        }
        fputs(*separator ? "." : "", out);
}

static void describe_pair(const json_t *pair, FILE *out) {
        const json_t *old = json_at(pair, "old"), *new = json_at(pair, "new"), *called = json_at(pair, "called");
        const size_t n_old = json_array_size(json_at(old, "instructions"));
        const size_t n_new = json_array_size(json_at(new, "instructions")), n = count_differences(pair);
        double old_offset, new_offset;

        if (!json_at(pair, "same")) {
                fprintf(out, "no timed loop was found in the machine code of %s.",
                                n_old == 0 && n_new == 0 ? "either side"
                                : n_old == 0             ? "the old side"
                                                         : "the new side");
                return;
        }
        if (json_flag_at(pair, "same"))
                fprintf(out, "the timed loops have the same %zu instruction%s", n_new, n_new == 1 ? "" : "s");
        else
                fprintf(out, "the timed loops, of %zu and %zu instructions, differ in %zu row%s", n_old, n_new, n,
                                n == 1 ? "" : "s");
        if (json_number_at(old, "line_offset", &old_offset) && json_number_at(new, "line_offset", &new_offset))
                fprintf(out, ". As linked they begin at byte %.0f (old) and %.0f (new) of a cache line", old_offset,
                                new_offset);
        fputc('.', out);
        describe_called(called, out);
}

static int print_words(const json_t *pair, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *stream = text_stream_open(&text);

        fprintf(stream, "%s/%s: ", json_text_or(pair, "area", "?"), json_text_or(pair, "name", "?"));
        describe_pair(pair, stream);
        if (text_stream_close(&text) < 0)
                return error_origin(-ENOMEM);
        typeset_wrap(text.text, 0, EXPLAIN_INDENT, view->width, out);
        fputc('\n', out);
        return 0;
}

/* ---- counters */

static const struct {
        const char *path;
        const char *name;
} counters[] = {
        { "pmu.instructions", "instructions" },
        { "pmu.ipc", "instructions a cycle" },
        { "pmu.branch_misses", "branch misses" },
        { "pmu.cache_misses", "cache misses" },
};

static bool is_of_pair(const json_t *benchmark, const json_t *pair) {
        return json_text_is(benchmark, "side", "new") && json_is_same(benchmark, pair, "area") &&
               json_is_same(benchmark, pair, "name");
}

/* "n=16: instructions 12.0 → 14.0, ..."; nothing where the core counts nothing. */
static void describe_counters(const json_t *old, const json_t *new, FILE *out) {
        char text_old[UNIT_TEXT_MAX], text_new[UNIT_TEXT_MAX];
        const char *separator = "";
        double a, b;

        for (size_t i = 0; i < N_ELEMENTS(counters); i++) {
                if (!json_number_at(old, counters[i].path, &a) || !json_number_at(new, counters[i].path, &b))
                        continue;
                if (!*separator) {
                        fputs("an operation", out);
                        arguments_print(new, out);
                }
                fprintf(out, "%s %s %s → %s", *separator ? separator : ":", counters[i].name, unit_number(a, text_old),
                                unit_number(b, text_new));
                separator = ",";
        }
}

static int print_counters(const json_t *result, const json_t *pair, const View *view, FILE *out) {
        const json_t *new;

        result_each_row(i, new, result) {
                _cleanup_(text_stream_clear) TextStream text = {};

                if (!is_of_pair(new, pair))
                        continue;
                describe_counters(result_side(result, new, "old"), new, text_stream_open(&text));
                if (text_stream_close(&text) < 0)
                        return error_origin(-ENOMEM);
                if (text.n == 0)
                        continue;
                fprintf(out, "%*s", (int)EXPLAIN_INDENT, "");
                typeset_wrap(text.text, EXPLAIN_INDENT, 2 * EXPLAIN_INDENT, view->width, out);
                fputc('\n', out);
        }
        return 0;
}

int report_explain(const json_t *result, const View *view, FILE *out) {
        const json_t *pairs = json_at(result, "explain");
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(pairs); i++) {
                const json_t *pair = json_array_get(pairs, i);

                fputc('\n', out);
                r = print_words(pair, view, out);
                if (r == 0)
                        r = print_counters(result, pair, view, out);
                if (r == 0 && json_array_size(json_at(pair, "rows")) > 0)
                        r = print_loops(pair, view, out);
        }
        return error_trace(r);
}
