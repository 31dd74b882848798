/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/findings.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* Flags of a result that are findings too. */
static const struct {
        const char *path;
        const char *note;
        const char *advice;
} flags[] = {
        { "below_noise_floor", "noise floor",
                        "below the noise floor of the harness: repeat the body (BENCH_REPEAT10)" },
        { "within_loop_cost", "loop cost", "as short as the loop itself: repeat the body (BENCH_REPEAT10)" },
        { "manual_time", "own time", "the benchmark timed itself, with bench_manual_ns()" },
};

bool finding_is(const json_t *finding, WarningKind kind) {
        return json_text_is(finding, "kind", warning_words(kind)->kind);
}

bool finding_is_unfit(const json_t *finding) {
        return strncmp(json_text_or(finding, "kind", ""), "unfit-", strlen("unfit-")) == 0 ||
               finding_is(finding, WARNING_TRACED);
}

bool findings_has(const json_t *row, WarningKind kind) {
        return json_find(json_at(row, "findings"), "kind", warning_words(kind)->kind);
}

/*
 * A row at the floor is also as short as the loop: it is reported once. If the compiler removed the body, that is why it is short, and no
 * repetition helps. A command is always timed by the program that runs it.
 */
static bool has_flag(const json_t *row, size_t i) {
        const bool floor = strcmp(flags[i].path, "below_noise_floor") == 0;
        const bool loop = strcmp(flags[i].path, "within_loop_cost") == 0;

        return !row_is_command(row) && json_flag_at(row, flags[i].path) &&
               !(loop && json_flag_at(row, "below_noise_floor")) &&
               !((floor || loop) && findings_has(row, WARNING_EMPTY_LOOP));
}

static const char *advice_at(const json_t *row, size_t i) {
        return json_text_or(json_array_get(json_at(row, "findings"), i), "advice", "");
}

/* A flag of a benchmark, or of a side of a pair. */
static bool side_has(const json_t *row, const char *flag) {
        const json_t *new = json_object_get(row, "new"), *old = json_object_get(row, "old");

        return json_flag_at(row, flag) || json_flag_at(new, flag) || json_flag_at(old, flag);
}

const char *findings_unfit_note(const json_t *row) {
        const json_t *finding;

        if (row_is_empty_loop(row))
                return NULL;
        json_each(i, finding, json_at(row, "findings")) {
                const char *note = json_text_at(finding, "note");

                if (note && finding_is_unfit(finding))
                        return note;
        }
        if (side_has(row, "disturbed.unfit"))
                return "not reliable";
        return side_has(row, "debugger_attached") ? warning_words(WARNING_TRACED)->note : NULL;
}

const char *findings_note(const json_t *row) {
        const char *unfit = findings_unfit_note(row);
        const json_t *finding;

        if (unfit || row_is_empty_loop(row))
                return unfit;
        for (size_t i = 0; i < N_ELEMENTS(flags); i++)
                if (has_flag(row, i))
                        return flags[i].note;
        json_each(i, finding, json_at(row, "findings")) {
                if (json_text_at(finding, "note"))
                        return json_text_at(finding, "note");
        }
        return NULL;
}

const char *findings_common_note(const json_t *rows, const View *view) {
        const json_t *row;
        const char *common = NULL;
        size_t n = 0;

        if (view->details || view->columns)
                return NULL;

        json_each(i, row, rows) {
                const char *note = findings_note(row);

                if (row_has_failed(row) || row_is_empty_loop(row))
                        continue;
                if (!note || (common && strcmp(note, common) != 0))
                        return NULL;
                common = note;
                n++;
        }
        return n > 1 ? common : NULL;
}

double findings_most(const json_t *rows, const char *path, size_t *ret_n) {
        double most = 0, number;
        const json_t *row;
        size_t n = 0;

        json_each(i, row, rows) {
                if (!json_number_at(row, path, &number))
                        continue;
                most = fmax(most, number);
                n++;
        }
        *ret_n = n;
        return most;
}

static bool row_has(const json_t *row, const char *advice) {
        for (size_t i = 0; i < N_ELEMENTS(flags); i++)
                if (has_flag(row, i) && strcmp(flags[i].advice, advice) == 0)
                        return true;
        for (size_t i = 0; i < json_array_size(json_at(row, "findings")); i++)
                if (strcmp(advice_at(row, i), advice) == 0)
                        return true;
        return false;
}

/* True if neither a row before @index has the same advice nor a finding before @n of that row. */
static bool is_new(const json_t *rows, size_t index, size_t n, const char *advice) {
        for (size_t i = 0; i < index; i++)
                if (row_has(json_array_get(rows, i), advice))
                        return false;
        for (size_t i = 0; i < n; i++)
                if (strcmp(advice_at(json_array_get(rows, index), i), advice) == 0)
                        return false;
        return true;
}

/* " (a, b)", or "" where all rows, of one or more, have it. */
static int format_rows(const json_t *rows, const char *advice, void (*print_name)(const json_t *row, FILE *out),
                char **ret_text, size_t *ret_n) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *stream = text_stream_open(&text);
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(rows); i++) {
                if (!row_has(json_array_get(rows, i), advice))
                        continue;
                fputs(n++ == 0 ? " (" : ", ", stream);
                print_name(json_array_get(rows, i), stream);
        }
        fputc(')', stream);
        if (text_stream_close(&text) < 0)
                return error_origin(-ENOMEM);
        *ret_text = take_pointer(text.text);
        *ret_n = n;
        return 0;
}

/* The names where the line has room for them, else how many there are. */
static int format_finding(const json_t *rows, const char *advice, void (*print_name)(const json_t *row, FILE *out),
                const View *view, char **ret_text) {
        _cleanup_(freep) char *names = NULL;
        char count[32];
        size_t n;
        int r;

        r = format_rows(rows, advice, print_name, &names, &n);
        if (r)
                return error_trace(r);
        snprintf(count, sizeof count, " (%zu row%s%s)", n, n == 1 ? "" : "s",
                        json_at(json_array_get(rows, 0), "on") ? " of machines" : "");
        if (json_array_size(rows) == 1)
                count[0] = '\0';
        else if (n == json_array_size(rows))
                strcpy(count, " (all rows)");
        else if (view->width == 0 || strlen("- ") + typeset_width(advice) + typeset_width(names) <= view->width)
                count[0] = '\0';
        else
                names[0] = '\0';
        if (n == json_array_size(rows))
                names[0] = '\0';
        if (asprintf(ret_text, "%s%s%s", advice, names, count) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

/* The receiver of findings and all that makes their sentences. */
typedef struct FindingWriter {
        const json_t *rows;
        void (*print_name)(const json_t *row, FILE *out);
        const View *view;
        FindingTake take;
        void *where;
} FindingWriter;

static int write_finding(const FindingWriter *writer, const char *advice) {
        _cleanup_(freep) char *text = NULL;
        int r;

        r = format_finding(writer->rows, advice, writer->print_name, writer->view, &text);
        return r ? error_trace(r) : error_trace(writer->take(writer->where, text));
}

int findings_each(const json_t *all, void (*print_name)(const json_t *row, FILE *out), const View *view,
                FindingTake take, void *where) {
        _cleanup_(json_decrefp) json_t *rows = rows_without_empty_loop(all);
        const FindingWriter writer = { rows, print_name, view, take, where };
        int r = rows ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                for (size_t j = 0; r == 0 && j < N_ELEMENTS(flags); j++)
                        if (has_flag(row, j) && is_new(rows, i, 0, flags[j].advice))
                                r = write_finding(&writer, flags[j].advice);
                for (size_t j = 0; r == 0 && j < json_array_size(json_at(row, "findings")); j++)
                        if (is_new(rows, i, j, advice_at(row, j)))
                                r = write_finding(&writer, advice_at(row, j));
        }
        return error_trace(r);
}

int findings_print_one(void *where, const char *sentence) {
        const FindingPrinter *printer = where;

        fputs("- ", printer->out);
        typeset_wrap(sentence, strlen("- "), strlen("- "), printer->width, printer->out);
        fputc('\n', printer->out);
        return 0;
}

int findings_print(const json_t *rows, void (*print_name)(const json_t *row, FILE *out), const View *view, FILE *out) {
        FindingPrinter printer = { view->width, out };

        return error_trace(findings_each(rows, print_name, view, findings_print_one, &printer));
}
