/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sestoft's columns: name, arguments, mean and standard deviation in nanoseconds, count of iterations. The lines above
 * them begin with #, so that gnuplot and its like read the whole.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "ctl/json-path.h"
#include "ctl/platform.h"
#include "ctl/printable.h"
#include "ctl/report-output.h"
#include "ctl/row.h"
#include "ctl/show.h"
#include "util/cleanup.h"
#include "util/error.h"

static double number_at(const json_t *json, const char *path) {
        double number;

        return json_number_at(json, path, &number) ? number : NAN;
}

static void print_row(const json_t *row, FILE *out) {
        const char *name = json_text_at(row, "name"), *side = json_text_at(row, "side"), *key;
        json_t *args = (json_t *)json_at(row, "args"), *value;

        fprintf(out, "%-25s ", name ? name : "?");
        if (side)
                fprintf(out, "%-4s", side);
        json_object_foreach(args, key, value) {
                if (json_is_string(value))
                        fprintf(out, " %7s", json_string_value(value));
                else if (json_is_real(value))
                        fprintf(out, " %7.15g", json_real_value(value));
                else
                        fprintf(out, "%8" JSON_INTEGER_FORMAT, json_integer_value(value));
        }
        fprintf(out, "%15.1f %10.2f %10.0f\n", number_at(row, "time_ns.raw.mean"), number_at(row, "time_ns.raw.stddev"),
                        number_at(row, "iterations_per_sample"));
}

static int print_benchmark(const json_t *benchmark, FILE *out) {
        const char *name = json_text_at(benchmark, "name"), *message = json_text_at(benchmark, "failed.message");
        _cleanup_(json_decrefp) json_t *rows = NULL;

        if (json_at(benchmark, "failed")) {
                fprintf(out, "# %s: %s\n", name ? name : "?", message ? message : "It failed.");
                report_output_print_failure(benchmark, "#     | ", out);
                return 0;
        }
        rows = row_steps(benchmark);
        if (!rows)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < json_array_size(rows); i++)
                print_row(json_array_get(rows, i), out);
        return 0;
}

static int print_result(const json_t *result, const View *view, FILE *out) {
        const json_t *benchmarks = json_at(result, "benchmarks"), *warnings = json_at(result, "warnings");
        int r = 0;

        platform_print(result, view, out);
        for (size_t i = 0; i < json_array_size(warnings); i++)
                fprintf(out, "# %s\n", json_string_value(json_array_get(warnings, i)));
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                r = print_benchmark(json_array_get(benchmarks, i), out);
        return error_trace(r);
}

int show_mark(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        if (kind != SHOW_RESULT)
                return show_table(kind, json, view, out);
        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        return error_trace(print_result(printable, view, out));
}
