/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/rows.h"
#include "ctl/model/result.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/findings.h"
#include "util/cleanup.h"
#include "util/error.h"

#define EMPTY_NAME   "EMPTY"
#define EMPTY_METHOD "benchd" /* whose rows include the loop; it may be followed by " cold" or " unprimed" */

/* ---- pairs */

/* A copy of the list at @name of @pair, which others share. */
static json_t *own_list(json_t *pair, const char *name) {
        const json_t *list = json_object_get(pair, name);
        json_t *own = json_is_array(list) ? json_copy((json_t *)list) : json_array();

        return json_object_set_new(pair, name, own) == 0 ? own : NULL;
}

/* A side that is not reliable, or unwatched, makes the pair so: these findings are the pair's too, with their sentences. */
static int add_conditions(json_t *pair, const json_t *side) {
        json_t *findings = own_list(pair, "findings"), *warnings = own_list(pair, "warnings");
        const json_t *finding;

        if (!findings || !warnings)
                return -1;
        json_each(i, finding, json_at(side, "findings")) {
                json_t *sentence = json_array_get(json_at(side, "warnings"), i);

                if (!(finding_is_unfit(finding) || finding_is(finding, WARNING_UNWATCHED)) ||
                                json_find(findings, "kind", json_text_at(finding, "kind")))
                        continue;
                sentence = json_is_string(sentence) ? sentence : json_object_get(finding, "advice");
                if (json_array_append(findings, (json_t *)finding) < 0 || json_array_append(warnings, sentence) < 0)
                        return -1;
        }
        return 0;
}

/* A benchmark that failed before it had sides has none. */
static int add_benchmark(json_t *pair, const json_t *benchmark) {
        static const char *const failure[] = { "failed", "output" };
        const bool named = row_is_command(benchmark) && !json_text_is(benchmark, "side", "old");
        const bool failed = json_at(benchmark, "failed") && !json_at(pair, "failed");
        const char *side = json_text_at(benchmark, "side");
        int r = 0;

        if (side && !json_at(pair, side))
                r = json_object_set(pair, side, (json_t *)benchmark) < 0 ? -1 : add_conditions(pair, benchmark);
        if (r == 0 && named)
                r = json_object_set(pair, "title", json_object_get(benchmark, "title"));
        for (size_t i = 0; r == 0 && failed && i < N_ELEMENTS(failure); i++)
                if (json_at(benchmark, failure[i]))
                        r = json_object_set(pair, failure[i], json_object_get(benchmark, failure[i]));
        return r < 0 ? error_origin(-ENOMEM) : 0;
}

static int pair_of(const json_t *result, const json_t *comparison, json_t **ret_pair) {
        const json_t *benchmarks = result_rows(result), *index = json_at(comparison, "index");
        _cleanup_(json_decrefp) json_t *pair = json_copy((json_t *)comparison);
        int r = pair ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (json_equal(json_at(json_array_get(benchmarks, i), "index"), index))
                        r = add_benchmark(pair, json_array_get(benchmarks, i));
        if (r)
                return error_trace(r);
        *ret_pair = take_pointer(pair);
        return 0;
}

int rows_of_pairs(const json_t *result, json_t **ret_pairs) {
        const json_t *comparisons = result_comparisons(result);
        _cleanup_(json_decrefp) json_t *pairs = json_array();
        int r = pairs ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(comparisons); i++) {
                json_t *pair = NULL;

                r = pair_of(result, json_array_get(comparisons, i), &pair);
                if (r == 0 && json_array_append_new(pairs, pair) < 0)
                        r = error_origin(-ENOMEM);
        }
        if (r)
                return error_trace(r);
        *ret_pairs = take_pointer(pairs);
        return 0;
}

int rows_judged(const json_t *result, json_t **ret_rows) {
        if (result_compares(result))
                return error_trace(rows_of_pairs(result, ret_rows));
        *ret_rows = rows_without_empty_loop(result_rows(result));
        return *ret_rows ? 0 : error_origin(-ENOMEM);
}

/* ---- names */

/* True if @area is what benchmarks have that name none: the name of their file, @module, as one word. */
static bool is_area_of_file(const char *area, const char *module) {
        const char *slash = strrchr(module, '/');
        const char *name = slash ? slash + 1 : module;
        const size_t n = strcspn(name, ".");

        if (strlen(area) != n)
                return false;
        for (size_t i = 0; i < n; i++)
                if (area[i] != name[i] && (area[i] != '_' || isalnum((unsigned char)name[i])))
                        return false;
        return true;
}

static bool areas_are_of_files(const json_t *result, const json_t *pair) {
        const char *new = json_text_or(result, "module.name", ""), *old = json_text_or(result, "old_module.name", new);

        return is_area_of_file(row_area(pair), new) &&
               is_area_of_file(json_text_or(pair, "old_area", row_area(pair)), old);
}

void rows_shorten_names(const json_t *result, json_t *pairs) {
        json_t *pair;

        json_each(i, pair, pairs) {
                if (!areas_are_of_files(result, pair))
                        return;
        }
        json_each(i, pair, pairs) {
                json_object_del(pair, "area");
                json_object_del(pair, "old_area");
                if (json_text_is(pair, "old_name", row_name(pair)))
                        json_object_del(pair, "old_name");
        }
}

/* ---- counts of iterations */

/* Returns @benchmark with the figures of @step; NULL if memory ran out. */
static json_t *row_of_step(const json_t *benchmark, const json_t *step, bool last) {
        json_t *row = json_copy((json_t *)benchmark);
        json_t *own = json_pack("{s:{s:{s:O?, s:O?}}, s:O?, s:O?}", "time_ns", "raw", "mean", json_at(step, "mean_ns"),
                        "stddev", json_at(step, "stddev_ns"), "iterations_per_sample", json_at(step, "iterations"),
                        "samples", json_at(step, "samples"));

        if (row && own)
                json_object_update(row, own);
        if (row && !last) { /* the whole benchmark's */
                json_object_del(row, "warnings");
                json_object_del(row, "first_call_ns");
        }
        json_decref(own);
        return row;
}

json_t *rows_of_steps(const json_t *benchmark) {
        const json_t *steps = json_at(benchmark, "steps");
        size_t n = json_array_size(steps);
        json_t *rows = json_array();

        if (n == 0)
                json_array_append(rows, (json_t *)benchmark);
        for (size_t i = 0; i < n; i++)
                json_array_append_new(rows, row_of_step(benchmark, json_array_get(steps, i), i + 1 == n));
        if (json_array_size(rows) == (n > 0 ? n : 1))
                return rows;
        json_decref(rows);
        return NULL;
}

/* ---- the empty loop */

static bool includes_loop(const json_t *result) {
        const char *method = json_text_at(result, "method");
        const size_t n = strlen(EMPTY_METHOD);

        return method && strncmp(method, EMPTY_METHOD, n) == 0 && (method[n] == '\0' || method[n] == ' ');
}

/* True if a row is so short that the reader asks how long the loop itself takes. */
static bool any_is_short(const json_t *benchmarks) {
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);

                if (json_flag_at(benchmark, "below_noise_floor") || json_flag_at(benchmark, "within_loop_cost") ||
                                findings_has(benchmark, WARNING_DUBIOUS))
                        return true;
        }
        return false;
}

int rows_empty(const json_t *result, bool always, json_t **ret_row) {
        const json_t *empty = json_at(result, "empty");
        _cleanup_(json_decrefp) json_t *row = NULL;

        *ret_row = NULL;
        if (!json_is_object(empty) || !includes_loop(result) || !(always || any_is_short(result_rows(result))))
                return 0;
        row = json_copy((json_t *)empty);
        if (!row || json_object_set_new(row, "name", json_string(EMPTY_NAME)) < 0)
                return error_origin(-ENOMEM);
        *ret_row = take_pointer(row);
        return 0;
}
