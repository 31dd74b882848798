/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sestoft's lines: name, arguments, mean and standard deviation in nanoseconds, count of iterations; of Mark2 to Mark5 as these print
 * them. All other lines begin with #, so that gnuplot and its like read the whole: platform, verdict, findings and warnings. Each sweep is
 * a data set of its own.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/arguments.h"
#include "ctl/model/cell.h"
#include "ctl/model/platform.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/scale.h"
#include "ctl/model/times.h"
#include "ctl/model/view.h"
#include "ctl/show/report-output.h"
#include "ctl/show/report.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

static double number_at(const json_t *json, const char *path) {
        return json_number_or(json, path, NAN);
}

static double time_at(const json_t *json, const char *path, const Times *times) {
        return times_number(times, number_at(json, path));
}

/* ---- a line: of Mark6 and later as of any other method; Mark2 to Mark5 leave the name out */

/* A space comes before the first. */
static void print_args(const json_t *row, FILE *out) {
        const char *separator = "", *key;
        json_t *value;

        row_each_argument(key, value, row) {
                _cleanup_(text_stream_clear) TextStream text = {};

                arguments_print_value(value, text_stream_open(&text));
                if (text_stream_close(&text) == 0)
                        fprintf(out, "%s%*s", separator, 8 - (int)strlen(separator), text.text);
                separator = " ";
        }
}

static void print_named(const json_t *row, const Times *times, FILE *out) {
        const char *side = json_text_at(row, "side");

        fprintf(out, "%-25s ", json_text_or(row, "name", "?"));
        if (side)
                fprintf(out, "%-4s", side);
        print_args(row, out);
        fprintf(out, "%15.1f %10.2f %10.0f\n", time_at(row, "time_ns.raw.mean", times),
                        time_at(row, "time_ns.raw.stddev", times), number_at(row, "iterations_per_sample"));
}

static void print_mark2(const json_t *row, const Times *times, FILE *out) {
        const json_t *runs = json_at(row, "runs");

        for (size_t i = 0; i < json_array_size(runs); i++)
                fprintf(out, "%6.1f ns\n", number_at(json_array_get(runs, i), "time_ns"));
}

static void print_mark4(const json_t *row, const Times *times, FILE *out) {
        fprintf(out, "%6.1f ns +/- %6.3f\n", time_at(row, "time_ns.raw.mean", times),
                        time_at(row, "time_ns.raw.stddev", times));
}

static void print_mark5(const json_t *row, const Times *times, FILE *out) {
        fprintf(out, "%6.1f ns +/- %8.2f %10.0f\n", time_at(row, "time_ns.raw.mean", times),
                        time_at(row, "time_ns.raw.stddev", times), number_at(row, "iterations_per_sample"));
}

typedef struct MarkLine {
        const char *method; /* NULL: any other */
        void (*print)(const json_t *row, const Times *times, FILE *out);
        bool named;
} MarkLine;

static const MarkLine lines[] = {
        { "mark2", print_mark2, false },
        { "mark3", print_mark2, false },
        { "mark4", print_mark4, false },
        { "mark5", print_mark5, false },
        { NULL, print_named, true },
};

static const MarkLine *line_of(const json_t *benchmark) {
        const char *method = json_text_at(benchmark, "method");
        const MarkLine *line = lines;

        while (line->method && !(method && strcmp(method, line->method) == 0))
                line++;
        return line;
}

/* ---- benchmarks */

/* The lines that follow have no name: it is above them. */
static void print_name(const json_t *benchmark, FILE *out) {
        fputs("# ", out);
        cell_print_name(benchmark, out);
        fputc('\n', out);
}

static int print_benchmark(const json_t *benchmark, const Times *times, FILE *out) {
        const MarkLine *line = line_of(benchmark);
        _cleanup_(json_decrefp) json_t *rows = NULL;

        if (row_has_failed(benchmark)) {
                fprintf(out, "# %s: %s\n", json_text_or(benchmark, "name", "?"), row_failure_message(benchmark));
                report_output_print_failure(benchmark, "#     | ", out);
                return 0;
        }
        rows = rows_of_steps(benchmark);
        if (!rows)
                return error_origin(-ENOMEM);
        if (!line->named)
                print_name(benchmark, out);
        for (size_t i = 0; i < json_array_size(rows); i++)
                line->print(json_array_get(rows, i), times, out);
        return 0;
}

/* True if @benchmark begins another sweep than that of the one before: two empty lines divide data sets for gnuplot. */
static bool begins_data_set(const json_t *before, const json_t *benchmark) {
        const bool sweeps = json_object_size(json_at(before, "args")) > 0 ||
                            json_object_size(json_at(benchmark, "args")) > 0;

        return before && sweeps && !json_is_same(before, benchmark, "name");
}

/* ---- what a reader of the lines alone must know: the verdict, its reasons and their remedies */

static int report_remarks(const json_t *result, const View *view, FILE *out) {
        int r;

        r = report_result_verdict(result, view, out);
        if (r == 0)
                r = report_result_findings(result, view, out);
        report_warnings(json_at(result, "warnings"), view, out);
        return error_trace(r);
}

static int print_remarks(const json_t *result, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        const char *line, *end;
        int r;

        r = report_remarks(result, view, text_stream_open(&text));
        if (r == 0)
                r = text_stream_close(&text);
        if (r)
                return error_trace(r);
        for (line = text.text; (end = strchr(line, '\n')); line = end + 1)
                fprintf(out, "# %.*s\n", (int)(end - line), line);
        return 0;
}

/* The lines are for a file: their width is not the terminal's. */
static int print_result(const json_t *result, View view, FILE *out) {
        const json_t *benchmark, *before = NULL;
        int r;

        view.width = 0;
        view.color = false;
        platform_print(result, &view, out);
        r = print_remarks(result, &view, out);
        scale_print(&view.times, "# ", "\n", out);
        result_each_row(i, benchmark, result) {
                if (begins_data_set(before, benchmark))
                        fputs("\n\n", out);
                r = r ? r : print_benchmark(benchmark, &view.times, out);
                before = benchmark;
        }
        return error_trace(r);
}

int show_mark(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        return error_trace(print_result(json, *view, out));
}
