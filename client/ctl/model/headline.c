/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/headline.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"

static bool has_point(const json_t *row, const char *key) {
        return json_is_number(json_at(json_object_get(row, key), "point"));
}

/* A comparison without any ratio of means, as with a baseline: its columns stay what it is of. */
static bool is_of_medians(const json_t *comparisons) {
        const json_t *comparison;

        json_each(i, comparison, comparisons) {
                if (has_point(comparison, "mean_ratio"))
                        return false;
        }
        return json_array_size(comparisons) > 0;
}

bool headline_is_known(const char *word) {
        return strcmp(word, "median") == 0 || strcmp(word, "mean") == 0;
}

/* A row that is @row but for the interval @to, which has the numbers of @from, and the verdict on it; NULL if memory ran out. */
static json_t *row_of_mean(const json_t *row, const char *to, const char *from) {
        static const char *const members[] = { "point", "low", "high" };
        _cleanup_(json_decrefp) json_t *own = json_copy((json_t *)row), *interval = json_copy(json_object_get(row, to));
        json_t *verdict = json_object_get(row, "mean_verdict");

        for (size_t i = 0; i < N_ELEMENTS(members); i++)
                if (json_object_set(interval, members[i], json_object_get(json_object_get(row, from), members[i])) < 0)
                        return NULL;
        if (json_object_set(own, to, interval) < 0 || (verdict && json_object_set(own, "verdict", verdict) < 0))
                return NULL;
        return take_pointer(own);
}

/* Replaces the interval @to by @from in the rows at @key of @result, which must not be shared. Returns 0 or a negative errno. */
static int put_means(json_t *result, const char *key, const char *to, const char *from) {
        const json_t *rows = json_at(result, key);
        json_t *own = json_array();

        for (size_t i = 0; own && i < json_array_size(rows); i++) {
                json_t *row = json_array_get(rows, i);

                row = has_point(row, from) && json_is_object(json_object_get(row, to)) ? row_of_mean(row, to, from)
                                                                                       : json_incref(row);
                if (json_array_append_new(own, row) < 0) {
                        json_decref(own);
                        return error_origin(-ENOMEM);
                }
        }
        return json_object_set_new(result, key, own) < 0 ? error_origin(-ENOMEM) : 0;
}

int headline_of(const json_t *result, const char *word, json_t **ret_result) {
        _cleanup_(json_decrefp) json_t *told = NULL;
        int r;

        if (!word || strcmp(word, "mean") != 0 || is_of_medians(result_comparisons(result))) {
                *ret_result = json_incref((json_t *)result);
                return 0;
        }
        told = json_copy((json_t *)result);
        r = told ? put_means(told, "benchmarks", "time_ns", "amortised") : error_origin(-ENOMEM);
        if (r == 0 && result_compares(result))
                r = put_means(told, "comparisons", "ratio", "mean_ratio");
        if (r)
                return error_trace(r);
        *ret_result = take_pointer(told);
        return 0;
}
