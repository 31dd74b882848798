/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/side-by-side.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/commit.h"
#include "ctl/model/conditions.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* The row of @result that is the same, if it has a time. */
static const json_t *find_timed(const json_t *result, const json_t *benchmark) {
        const json_t *row = result_find(result, benchmark);

        return row_has_time(row) ? row : NULL;
}

static json_t *time_of(const json_t *benchmark) {
        return json_pick(json_at(benchmark, "time_ns"), "point", "low", "high", NULL);
}

static json_t *pair_of(const json_t *first, const json_t *second) {
        return json_join(json_pick(first, "area", "name", "args", "threads", NULL),
                        json_pack("{s:[o, o], s:f, s:O?}", "time_ns", time_of(first), time_of(second), "ratio",
                                        row_time(second).point / row_time(first).point, "title",
                                        row_is_command(first) ? json_at(first, "title") : NULL));
}

/* "area/name n=8", as a row is called. */
static json_t *name_of(const json_t *benchmark) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        fprintf(out, "%s/", json_text_or(benchmark, "area", "?"));
        cell_print_name(benchmark, out);
        return text_stream_close(&text) == 0 ? json_string(text.text) : NULL;
}

static json_t *head_of(const json_t *result) {
        return json_pick(result, "run_id", "started_at", "module", "environment", "comparability_key", NULL);
}

/* Adds the rows of @result with a time that @other does not have. */
static int add_only(json_t *names, const json_t *result, const json_t *other) {
        const json_t *row;

        result_each_row(i, row, result) {
                if (row_has_time(row) && !find_timed(other, row) && json_array_append_new(names, name_of(row)) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

static int add_pairs(json_t *pairs, const json_t *first, const json_t *second) {
        const json_t *row;

        result_each_row(i, row, first) {
                const json_t *other = row_has_time(row) ? find_timed(second, row) : NULL;

                if (other && json_array_append_new(pairs, pair_of(row, other)) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

/* An array of clauses, empty where the two are comparable. */
static int find_differences(const json_t *first, const json_t *second, json_t **ret_differences) {
        if (!result_is_comparable(first, second))
                return error_trace(conditions_compare(first, second, CONDITIONS_A_AND_B, ret_differences));
        *ret_differences = json_array();
        return *ret_differences ? 0 : error_origin(-ENOMEM);
}

int side_by_side(const json_t *first, const json_t *second, json_t **ret_json) {
        _cleanup_(json_decrefp) json_t *json = NULL, *differences = NULL;
        json_t *only;
        int r;

        r = find_differences(first, second, &differences);
        if (r)
                return error_trace(r);
        json = json_pack("{s:[o, o], s:b, s:O, s:s?, s:[], s:[[], []]}", "results", head_of(first), head_of(second),
                        "comparable", result_is_comparable(first, second), "differences", differences, "remedy",
                        conditions_remedy(first, second, CONDITIONS_A_AND_B), "benchmarks", "only");
        if (!json)
                return error_origin(-ENOMEM);
        only = json_object_get(json, "only");
        r = add_pairs(json_object_get(json, "benchmarks"), first, second);
        if (r == 0)
                r = add_only(json_array_get(only, 0), first, second);
        if (r == 0)
                r = add_only(json_array_get(only, 1), second, first);
        if (r)
                return error_trace(r);
        if (json_array_size(json_object_get(json, "benchmarks")) == 0)
                return SIDE_BY_SIDE_E_NOTHING;
        *ret_json = take_pointer(json);
        return 0;
}

char *side_by_side_title(const json_t *json, size_t index) {
        const json_t *result = json_array_get(json_at(json, "results"), index);
        _cleanup_(freep) char *name = commit_module_words(json_at(result, "module"));
        const char *job = json_text_at(result, "run_id");
        char *title;

        return asprintf(&title, "%c: %s%s%.*s", "AB"[index], name ? name : "module", job ? ", job " : "", JOB_ID_SHOWN,
                               job ? job : "") < 0
                               ? NULL
                               : title;
}
