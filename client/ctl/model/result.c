/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/result.h"

#include <jansson.h>
#include <string.h>

#include "ctl/model/arguments.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

/* ---- a result */

const json_t *result_rows(const json_t *result) {
        return json_at(result, "benchmarks");
}

const json_t *result_comparisons(const json_t *result) {
        return json_at(result, "comparisons");
}

bool result_compares(const json_t *result) {
        return json_array_size(result_comparisons(result)) > 0;
}

bool result_is_of_commands(const json_t *result) {
        return json_array_size(json_at(result, "commands")) > 0;
}

bool result_has_reference(const json_t *result) {
        return result_is_of_commands(result) && result_compares(result) && !json_at(result, "baseline");
}

const json_t *result_judged(const json_t *result) {
        return result_compares(result) ? result_comparisons(result) : result_rows(result);
}

const json_t *result_find(const json_t *result, const json_t *row) {
        const json_t *own;

        result_each_row(i, own, result) {
                if (row_is_same(own, row))
                        return own;
        }
        return NULL;
}

const json_t *result_side(const json_t *result, const json_t *comparison, const char *side) {
        const json_t *row;

        result_each_row(i, row, result) {
                if (json_text_is(row, "side", side) && json_equal(json_at(row, "index"), json_at(comparison, "index")))
                        return row;
        }
        return NULL;
}

bool result_is_comparable(const json_t *a, const json_t *b) {
        const char *key = json_text_at(a, "comparability_key");

        return key && json_text_is(b, "comparability_key", key);
}

/* ---- a row */

const char *row_name(const json_t *row) {
        return json_text_or(row, "name", "");
}

const char *row_area(const json_t *row) {
        return json_text_or(row, "area", "");
}

double row_threads(const json_t *row) {
        return json_number_or(row, "threads", 1);
}

bool row_is_of(const json_t *row, const char *area) {
        return strcmp(row_area(row), area) == 0;
}

bool row_is_command(const json_t *row) {
        return row_is_of(row, "exec") && json_text_at(row, "title");
}

bool row_is_empty_loop(const json_t *row) {
        return json_text_is(row, "name", "NOTHING") && !*row_area(row);
}

bool row_is_same(const json_t *a, const json_t *b) {
        static const char *const members[] = { "area", "name", "args", "threads" };

        for (size_t i = 0; i < N_ELEMENTS(members); i++)
                if (!json_is_same(a, b, members[i]))
                        return false;
        return true;
}

void row_print_path(const json_t *row, FILE *out) {
        const char *key;
        json_t *value;

        fprintf(out, "%s/%s", row_area(row), row_name(row));
        row_each_argument(key, value, row) {
                fprintf(out, "/%s=", key);
                arguments_print_value(value, out);
        }
}

char *row_path(const json_t *row) {
        _cleanup_(text_stream_clear) TextStream path = {};
        FILE *out = text_stream_open(&path);

        row_print_path(row, out);
        if (row_threads(row) > 1)
                fprintf(out, "/threads=%.0f", row_threads(row));
        return text_stream_take(&path);
}

char *row_path_within(const json_t *result, const json_t *row) {
        _cleanup_(freep) char *path = row_path(row);
        char *within;

        if (!result || !path)
                return take_pointer(path);
        return asprintf(&within, "%s/%s", json_text_or(result, "module.name", "module"), path) < 0 ? NULL : within;
}

bool row_has_failed(const json_t *row) {
        return json_at(row, "failed") != NULL;
}

const char *row_failure(const json_t *row) {
        return json_text_at(row, "failed.code");
}

const char *row_failure_message(const json_t *row) {
        return json_text_or(row, "failed.message", "It failed.");
}

RowEstimate row_estimate(const json_t *row, const char *path) {
        const json_t *estimate = json_at(row, path);

        return (RowEstimate){
                .point = json_number_or(estimate, "point", NAN),
                .low = json_number_or(estimate, "low", NAN),
                .high = json_number_or(estimate, "high", NAN),
        };
}

RowEstimate row_time(const json_t *row) {
        return row_estimate(row, "time_ns");
}

RowEstimate row_ratio(const json_t *row) {
        return row_estimate(row, "ratio");
}

bool row_is_shared(const json_t *row) {
        return json_text_is(row, "measurand", "shared");
}

bool row_has_like_time(const json_t *a, const json_t *b) {
        return json_is_same(a, b, "measurand");
}

const char *row_time_words(const json_t *row) {
        if (row_is_shared(row))
                return "beside a neighbour";
        return json_text_is(row, "measurand", "all") ? "over all samples" : "alone";
}

bool row_has_time(const json_t *row) {
        return json_number_or(row, "time_ns.point", 0) > 0;
}

json_t *rows_without_empty_loop(const json_t *all) {
        json_t *rows = json_array(), *row;
        size_t i;

        json_array_foreach(all, i, row) {
                if (!row_is_empty_loop(row) && json_array_append(rows, row) < 0) {
                        json_decref(rows);
                        return NULL;
                }
        }
        return rows;
}

bool rows_area_is_new(const json_t *rows, size_t index) {
        const char *area = row_area(json_array_get(rows, index));

        for (size_t i = 0; i < index; i++)
                if (row_is_of(json_array_get(rows, i), area))
                        return false;
        return true;
}
