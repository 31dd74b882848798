/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * hyperfine's JSON, with the fields of its version 1.20, for its scripts and what else reads it: an entry a command, in seconds, each with
 * every run. The reference of a comparison comes first, with its runs beside all of the others. A benchmark is an entry, too,
 * whose runs are its samples. The figures are those of all runs, as hyperfine has them: the headline of benchd is in its own formats.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/arguments.h"
#include "ctl/model/result.h"
#include "ctl/show/show.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define NS_OF_S 1e9

/* ---- the rows of an entry */

static bool is_reference(const json_t *row) {
        return row_is_command(row) && json_text_is(row, "side", "old");
}

/* "old/sorting/qsort/n=100"; a command is its title. */
static json_t *name_of(const json_t *row) {
        const char *side = json_text_at(row, "side");
        _cleanup_(freep) char *path = row_path(row);

        if (row_is_command(row))
                return json_string(json_text_or(row, "title", ""));
        if (!path)
                return NULL;
        return side ? json_sprintf("%s/%s", side, path) : json_string(path);
}

/* ---- the runs */

typedef struct Runs {
        json_t *times; /* seconds */
        json_t *memory;
        json_t *exit_codes;
} Runs;

static void runs_clear(Runs *runs) {
        json_decref(runs->times);
        json_decref(runs->memory);
        json_decref(runs->exit_codes);
}

static int add_values(const json_t *values, double scale, bool whole, json_t *list) {
        const json_t *value;

        json_each(i, value, values) {
                const double number = json_number_value(value) * scale;

                if (json_array_append_new(list, whole ? json_integer(llround(number)) : json_real(number)) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

static int add_row(Runs *runs, const json_t *row) {
        const json_t *process;

        json_each(i, process, json_at(row, "processes")) {
                int r;

                r = add_values(json_at(process, "samples.time_ns"), 1 / NS_OF_S, false, runs->times);
                if (r == 0)
                        r = add_values(json_at(process, "samples.counters.max_rss_bytes"), 1, true, runs->memory);
                if (r == 0)
                        r = add_values(json_at(process, "samples.counters.exit_code"), 1, true, runs->exit_codes);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* Those of @row, or of all rows of the reference. */
static int runs_of(const json_t *result, const json_t *row, Runs *ret_runs) {
        _cleanup_(runs_clear) Runs runs = { json_array(), json_array(), json_array() };
        const json_t *other;
        int r = runs.times && runs.memory && runs.exit_codes ? 0 : error_origin(-ENOMEM);

        if (!is_reference(row))
                r = r ? r : add_row(&runs, row);
        else
                result_each_row(i, other, result) {
                        if (r == 0 && is_reference(other))
                                r = add_row(&runs, other);
                }
        if (r)
                return error_trace(r);
        *ret_runs = runs;
        runs = (Runs){};
        return 0;
}

/* ---- an entry */

typedef struct Summary {
        double mean, stddev, median, min, max;
} Summary;

static Summary summary_of_sorted(const double *times, size_t n) {
        Summary summary = { .median = quantile_sorted(times, n, 0.5), .min = times[0], .max = times[n - 1] };
        double squares = 0;

        for (size_t i = 0; i < n; i++)
                summary.mean += times[i] / (double)n;
        for (size_t i = 0; i < n; i++)
                squares += (times[i] - summary.mean) * (times[i] - summary.mean);
        summary.stddev = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
        return summary;
}

/* A result without samples has the figures of its own summary. */
static Summary summary_of_row(const json_t *row) {
        return (Summary){
                .mean = json_number_or(row, "time_ns.raw.mean", NAN) / NS_OF_S,
                .stddev = json_number_or(row, "time_ns.raw.stddev", NAN) / NS_OF_S,
                .median = json_number_or(row, "time_ns.raw.median", NAN) / NS_OF_S,
                .min = json_number_or(row, "time_ns.raw.min", NAN) / NS_OF_S,
                .max = json_number_or(row, "time_ns.raw.max", NAN) / NS_OF_S,
        };
}

static int summary_of(const json_t *times, const json_t *row, Summary *ret_summary) {
        const size_t n = json_array_size(times);
        _cleanup_(freep) double *sorted = NULL;

        if (n == 0) {
                *ret_summary = summary_of_row(row);
                return 0;
        }
        sorted = calloc(n, sizeof *sorted);
        if (!sorted)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                sorted[i] = json_real_value(json_array_get(times, i));
        quantile_sort(sorted, n);
        *ret_summary = summary_of_sorted(sorted, n);
        return 0;
}

static json_t *seconds(double value) {
        return isfinite(value) ? json_real(value) : json_null();
}

/* The reference is the first command; each other one has a pair of that number. */
static void add_parameters(const json_t *result, const json_t *row, json_t *parameters) {
        const json_int_t command = is_reference(row) ? 0 : json_integer_value(json_at(row, "index"));
        const json_t *parameter;

        json_each(i, parameter, json_at(result, "parameters")) {
                if (json_integer_value(json_object_get(parameter, "command")) == command)
                        (void)json_object_set(parameters, json_text_or(parameter, "name", ""),
                                        json_object_get(parameter, "value"));
        }
}

/* NULL: it has none, or memory ran out. */
static json_t *parameters_of(const json_t *result, const json_t *row) {
        json_t *parameters = json_object(), *value;
        const char *name;

        if (row_is_command(row))
                add_parameters(result, row, parameters);
        row_each_argument(name, value, row) {
                _cleanup_(text_stream_clear) TextStream text = {};

                arguments_print_value(value, text_stream_open(&text));
                if (text_stream_close(&text) == 0)
                        (void)json_object_set_new(parameters, name, json_string(text.text));
        }
        if (json_object_size(parameters) > 0)
                return parameters;
        json_decref(parameters);
        return NULL;
}

static json_t *list_or_none(json_t *list) {
        return json_array_size(list) > 0 ? json_incref(list) : NULL;
}

static int entry_new(const json_t *result, const json_t *row, json_t **ret_entry) {
        _cleanup_(runs_clear) Runs runs = {};
        Summary summary;
        int r;

        r = runs_of(result, row, &runs);
        if (r == 0)
                r = summary_of(runs.times, row, &summary);
        if (r)
                return error_trace(r);
        *ret_entry = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*, s:O, s:o*}", "command",
                        name_of(row), "mean", seconds(summary.mean), "stddev", seconds(summary.stddev), "median",
                        seconds(summary.median), "user",
                        json_real(json_number_or(row, "counters.user_ns", 0) / NS_OF_S), "system",
                        json_real(json_number_or(row, "counters.system_ns", 0) / NS_OF_S), "min", seconds(summary.min),
                        "max", seconds(summary.max), "times", list_or_none(runs.times), "memory_usage_byte",
                        list_or_none(runs.memory), "exit_codes", runs.exit_codes, "parameters",
                        parameters_of(result, row));
        return *ret_entry ? 0 : error_origin(-ENOMEM);
}

static int add_entry(json_t *entries, const json_t *result, const json_t *row) {
        json_t *entry = NULL;
        int r;

        if (row_has_failed(row) || !json_at(row, "time_ns.point"))
                return 0;
        r = entry_new(result, row, &entry);
        if (r == 0 && json_array_append_new(entries, entry) < 0)
                r = error_origin(-ENOMEM);
        return error_trace(r);
}

static int add_entries(json_t *entries, const json_t *result) {
        const json_t *row;
        bool referred = false;
        int r = 0;

        result_each_row(i, row, result) {
                if (r == 0 && is_reference(row) && !referred) {
                        r = add_entry(entries, result, row);
                        referred = true;
                }
        }
        result_each_row(i, row, result) {
                if (r == 0 && !is_reference(row))
                        r = add_entry(entries, result, row);
        }
        return error_trace(r);
}

int show_hyperfine(ShowKind kind, const json_t *results, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *document = NULL, *entries = json_array();
        int r = entries ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(results); i++)
                r = add_entries(entries, json_array_get(results, i));
        if (r)
                return error_trace(r);
        document = json_pack("{s:O}", "results", entries);
        return document ? error_trace(show_json(kind, document, view, out)) : error_origin(-ENOMEM);
}
