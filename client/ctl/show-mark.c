/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sestoft's lines: name, arguments, mean and standard deviation in nanoseconds, count of iterations; of Mark2 to Mark5 as these print
 * them. All other lines begin with #, so that gnuplot and its like read the whole; each sweep is a data set of its own.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/cell.h"
#include "ctl/json-path.h"
#include "ctl/platform.h"
#include "ctl/printable.h"
#include "ctl/report-output.h"
#include "ctl/result.h"
#include "ctl/rows.h"
#include "ctl/scale.h"
#include "ctl/show.h"
#include "util/cleanup.h"
#include "util/error.h"

static double number_at(const json_t *json, const char *path) {
        double number;

        return json_number_at(json, path, &number) ? number : NAN;
}

/* ---- a line: of Mark6 and later as of any other method; Mark2 to Mark5 leave the name out */

static void print_args(const json_t *row, FILE *out) {
        json_t *args = (json_t *)json_at(row, "args"), *value;
        const char *key;

        json_object_foreach(args, key, value) {
                if (json_is_string(value))
                        fprintf(out, " %7s", json_string_value(value));
                else if (json_is_real(value))
                        fprintf(out, " %7.15g", json_real_value(value));
                else
                        fprintf(out, "%8" JSON_INTEGER_FORMAT, json_integer_value(value));
        }
}

static void print_named(const json_t *row, FILE *out) {
        const char *name = json_text_at(row, "name"), *side = json_text_at(row, "side");

        fprintf(out, "%-25s ", name ? name : "?");
        if (side)
                fprintf(out, "%-4s", side);
        print_args(row, out);
        fprintf(out, "%15.1f %10.2f %10.0f\n", number_at(row, "time_ns.raw.mean"), number_at(row, "time_ns.raw.stddev"),
                        number_at(row, "iterations_per_sample"));
}

static void print_mark2(const json_t *row, FILE *out) {
        const json_t *runs = json_at(row, "runs");

        for (size_t i = 0; i < json_array_size(runs); i++)
                fprintf(out, "%6.1f ns\n", number_at(json_array_get(runs, i), "time_ns"));
}

static void print_mark4(const json_t *row, FILE *out) {
        fprintf(out, "%6.1f ns +/- %6.3f\n", number_at(row, "time_ns.raw.mean"), number_at(row, "time_ns.raw.stddev"));
}

static void print_mark5(const json_t *row, FILE *out) {
        fprintf(out, "%6.1f ns +/- %8.2f %10.0f\n", number_at(row, "time_ns.raw.mean"),
                        number_at(row, "time_ns.raw.stddev"), number_at(row, "iterations_per_sample"));
}

typedef struct MarkLine {
        const char *method; /* NULL: any other */
        void (*print)(const json_t *row, FILE *out);
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

/* The lines that follow bear no name: it stands above them. */
static void print_name(const json_t *benchmark, FILE *out) {
        fputs("# ", out);
        cell_print_name(benchmark, out);
        fputc('\n', out);
}

static int print_benchmark(const json_t *benchmark, FILE *out) {
        const char *name = json_text_at(benchmark, "name"), *message = json_text_at(benchmark, "failed.message");
        const MarkLine *line = line_of(benchmark);
        _cleanup_(json_decrefp) json_t *rows = NULL;

        if (row_has_failed(benchmark)) {
                fprintf(out, "# %s: %s\n", name ? name : "?", message ? message : "It failed.");
                report_output_print_failure(benchmark, "#     | ", out);
                return 0;
        }
        rows = rows_of_steps(benchmark);
        if (!rows)
                return error_origin(-ENOMEM);
        if (!line->named)
                print_name(benchmark, out);
        for (size_t i = 0; i < json_array_size(rows); i++)
                line->print(json_array_get(rows, i), out);
        return 0;
}

/* True if @benchmark begins another sweep than that of the one before: two empty lines divide data sets for gnuplot. */
static bool begins_data_set(const json_t *before, const json_t *benchmark) {
        const char *was = json_text_at(before, "name"), *is = json_text_at(benchmark, "name");
        const bool sweeps = json_object_size(json_at(before, "args")) > 0 ||
                            json_object_size(json_at(benchmark, "args")) > 0;

        return before && sweeps && strcmp(was ? was : "", is ? is : "") != 0;
}

static int print_result(const json_t *result, const View *view, FILE *out) {
        const json_t *benchmarks = result_rows(result), *warnings = json_at(result, "warnings");
        int r = 0;

        platform_print(result, view, out);
        for (size_t i = 0; i < json_array_size(warnings); i++)
                fprintf(out, "# %s\n", json_string_value(json_array_get(warnings, i)));
        scale_print(result, "# ", "\n", out);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                const json_t *before = i > 0 ? json_array_get(benchmarks, i - 1) : NULL;
                const json_t *benchmark = json_array_get(benchmarks, i);

                if (begins_data_set(before, benchmark))
                        fputs("\n\n", out);
                r = print_benchmark(benchmark, out);
        }
        return error_trace(r);
}

int show_mark(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        return error_trace(print_result(printable, view, out));
}
