/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/trend.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctl/benchmark-path.h"
#include "ctl/json-path.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/glob.h"

#define PATH_TEXT_MAX 1024u

json_t *trend_new(void) {
        return json_pack("{s:[]}", "benchmarks");
}

/* The old side of a comparison is another module's. */
bool trend_matches(const char *filter, const json_t *benchmark) {
        const char *side = json_text_at(benchmark, "side");
        char path[PATH_TEXT_MAX] = "";
        double point;
        FILE *out;

        if ((side && strcmp(side, "old") == 0) || !json_number_at(benchmark, "time_ns.point", &point))
                return false;
        out = fmemopen(path, sizeof path - 1, "w");
        if (!out)
                return false;
        benchmark_path_print(benchmark, out);
        fclose(out);
        return glob_pattern_matches_leading(filter, path) ||
               glob_pattern_matches_leading(filter, strchr(path, '/') + 1);
}

/* The row of @benchmark, which is made where there is none. The reference is borrowed; NULL if memory ran out. */
static json_t *trend_row(json_t *trend, const json_t *benchmark) {
        json_t *rows = json_object_get(trend, "benchmarks"), *row;
        size_t i;

        json_array_foreach(rows, i, row) {
                if (benchmark_is_same(row, benchmark))
                        return row;
        }
        row = json_pack("{s:O, s:O, s:O, s:O, s:[]}", "area", json_object_get(benchmark, "area"), "name",
                        json_object_get(benchmark, "name"), "args", json_object_get(benchmark, "args"), "threads",
                        json_object_get(benchmark, "threads"), "runs");
        return row && json_array_append_new(rows, row) == 0 ? row : NULL;
}

static int trend_add_run(json_t *row, const json_t *result, const json_t *benchmark) {
        static const char *const members[] = { "point", "low", "high" };
        const json_t *time = json_at(benchmark, "time_ns"), *module = json_at(result, "module");
        json_t *run, *kept;

        run = json_pack("{s:O?, s:O?, s:O?, s:O?, s:O?, s:n, s:{}}", "run_id", json_object_get(result, "run_id"),
                        "started_at", json_object_get(result, "started_at"), "module_name",
                        json_object_get(module, "name"), "comparability_key",
                        json_object_get(result, "comparability_key"), "verdict", json_object_get(result, "verdict"),
                        "change", "time_ns");
        if (!run || json_array_append_new(json_object_get(row, "runs"), run) < 0)
                return error_origin(-ENOMEM);
        kept = json_object_get(run, "time_ns");
        for (size_t i = 0; i < N_ELEMENTS(members); i++)
                if (json_object_set(kept, members[i], json_object_get(time, members[i])) < 0)
                        return error_origin(-ENOMEM);
        return 0;
}

int trend_add(json_t *trend, const json_t *result, const char *filter) {
        const json_t *benchmarks = json_at(result, "benchmarks");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                json_t *row;
                int r;

                if (!trend_matches(filter, benchmark))
                        continue;
                row = trend_row(trend, benchmark);
                r = row ? trend_add_run(row, result, benchmark) : error_origin(-ENOMEM);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* ---- marks */

static const json_t *run_before(const json_t *runs, size_t index) {
        const json_t *key = json_object_get(json_array_get(runs, index), "comparability_key");

        for (size_t i = index + 1; i < json_array_size(runs); i++)
                if (json_equal(key, json_object_get(json_array_get(runs, i), "comparability_key")))
                        return json_array_get(runs, i);
        return NULL;
}

/* NULL if the intervals overlap, or one of them is missing. */
static const char *run_compare(const json_t *run, const json_t *before) {
        double low, high, low_before, high_before;

        if (!json_number_at(run, "time_ns.low", &low) || !json_number_at(run, "time_ns.high", &high) ||
                        !json_number_at(before, "time_ns.low", &low_before) ||
                        !json_number_at(before, "time_ns.high", &high_before))
                return NULL;
        if (low > high_before)
                return "slower";
        return high < low_before ? "faster" : NULL;
}

int trend_mark(json_t *trend) {
        const json_t *rows = json_at(trend, "benchmarks");

        for (size_t i = 0; i < json_array_size(rows); i++) {
                const json_t *runs = json_at(json_array_get(rows, i), "runs");

                for (size_t j = 0; j < json_array_size(runs); j++) {
                        const json_t *before = run_before(runs, j);
                        const char *mark = before ? run_compare(json_array_get(runs, j), before) : NULL;

                        if (mark && json_object_set_new(json_array_get(runs, j), "change", json_string(mark)) < 0)
                                return error_origin(-ENOMEM);
                }
        }
        return 0;
}
