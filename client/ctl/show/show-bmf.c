/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Bencher Metric Format: by benchmark and measure a value with the bounds of its interval. Benchmarks without a number are left out, since
 * the format has no word for them. A comparison has the measures of its new side, and the ratio.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct BmfMeasure {
        const char *name;
        const char *path;
        bool interval; /* the value is an object of point, low and high */
} BmfMeasure;

/* "latency" in nanoseconds and "throughput" in operations a second are Bencher's own. */
static const BmfMeasure measures[] = {
        { "latency", "time_ns", true },
        { "cycles", "cycles", true },
        { "throughput", "throughput.items_per_second", false },
        { "bytes-per-second", "throughput.bytes_per_second", false },
        { "allocations", "memory.allocations_per_operation", false },
        { "allocated-bytes", "memory.bytes_per_operation", false },
        { "peak-bytes", "memory.peak_bytes_per_iteration", false },
};
static const BmfMeasure of_comparison[] = { { "ratio", "ratio", true } };

/* Adds the value at @value, which may be missing, as the measure @name. Returns 0 or a negative errno. */
static int add_measure(json_t *metrics, const char *name, const json_t *value, bool interval) {
        static const struct {
                const char *path;
                const char *key;
        } bounds[] = { { "low", "lower_value" }, { "high", "upper_value" } };
        json_t *metric;
        double number;

        if (interval ? !json_number_at(value, "point", &number) : !json_is_number(value))
                return 0;
        metric = json_pack("{s:f}", "value", interval ? number : json_number_value(value));
        for (size_t i = 0; interval && metric && i < N_ELEMENTS(bounds); i++)
                if (json_number_at(value, bounds[i].path, &number))
                        (void)json_object_set_new(metric, bounds[i].key, json_real(number));
        return metric && json_object_set_new(metrics, name, metric) == 0 ? 0 : error_origin(-ENOMEM);
}

static int add_measures(json_t *metrics, const json_t *row, const BmfMeasure *list, size_t n) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++)
                r = add_measure(metrics, list[i].name, json_at(row, list[i].path), list[i].interval);
        return error_trace(r);
}

/* The counters that the module made, each by its name. */
static int add_counters(json_t *metrics, const json_t *benchmark) {
        const char *name;
        json_t *value;
        int r = 0;

        row_each_counter(name, value, benchmark) {
                if (r == 0 && !json_object_get(metrics, name))
                        r = add_measure(metrics, name, value, false);
        }
        return error_trace(r);
}

/* Adds the metrics of @benchmark, and of @comparison unless NULL, under the benchmark's path within @result, if there are any. */
static int add_row(json_t *document, const json_t *result, const json_t *benchmark, const json_t *comparison) {
        _cleanup_(json_decrefp) json_t *metrics = json_object();
        _cleanup_(freep) char *name = row_path_within(result, benchmark);
        int r;

        if (row_has_failed(benchmark))
                return 0;
        if (!name)
                return error_origin(-ENOMEM);
        r = add_measures(metrics, benchmark, measures, N_ELEMENTS(measures));
        if (r == 0)
                r = add_counters(metrics, benchmark);
        if (r == 0 && comparison)
                r = add_measures(metrics, comparison, of_comparison, N_ELEMENTS(of_comparison));
        if (r || json_object_size(metrics) == 0)
                return error_trace(r);
        return json_object_set(document, name, metrics) == 0 ? 0 : error_origin(-ENOMEM);
}

static int add_result(json_t *document, const json_t *result, bool several) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        const bool compares = result_compares(result);
        const json_t *row;
        int r;

        r = rows_of_pairs(result, &pairs);
        json_each(i, row, pairs) {
                const json_t *new = json_at(row, "new");

                if (r == 0 && new &&json_at(row, "ratio.point"))
                        r = add_row(document, NULL, new, row);
        }
        result_each_row(i, row, result) {
                if (r == 0 && !compares)
                        r = add_row(document, several ? result : NULL, row, NULL);
        }
        return error_trace(r);
}

int show_bmf(ShowKind kind, const json_t *results, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *document = json_object();
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(results); i++)
                r = add_result(document, json_array_get(results, i), json_array_size(results) > 1);
        if (r)
                return error_trace(r);
        return error_trace(show_json(kind, document, view, out));
}
