/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/sort.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct SortKey {
        json_t *row; /* borrowed */
        const char *name;
        double number; /* INFINITY: it has none */
        size_t index;
} SortKey;

static int compare_keys(const void *a, const void *b) {
        const SortKey *x = a, *y = b;
        int names = strcmp(x->name, y->name);

        if (x->number != y->number)
                return x->number < y->number ? -1 : 1;
        return names ? names : (x->index > y->index) - (x->index < y->index);
}

/* By name where @path is NULL, else by the number there. */
static int sort_list(json_t *result, const char *key, const char *path) {
        const json_t *rows = json_at(result, key);
        const size_t n = json_array_size(rows);
        _cleanup_(freep) SortKey *keys = calloc(n + 1, sizeof *keys);
        _cleanup_(json_decrefp) json_t *sorted = json_array();

        if (!keys || !sorted)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                json_t *row = json_array_get(rows, i);
                const char *name = json_text_at(row, "name");

                keys[i] = (SortKey){ .row = row, .name = !path && name ? name : "", .index = i };
                if (path && !json_number_at(row, path, &keys[i].number))
                        keys[i].number = INFINITY;
        }
        qsort(keys, n, sizeof *keys, compare_keys);
        for (size_t i = 0; i < n; i++)
                if (json_array_append(sorted, keys[i].row) < 0)
                        return error_origin(-ENOMEM);
        return json_object_set(result, key, sorted) < 0 ? error_origin(-ENOMEM) : 0;
}

static int sort_rows(json_t *result, ViewSort sort) {
        const bool compared = result_compares(result);
        const char *const paths[_VIEW_SORT_N] = {
                [VIEW_SORT_TIME] = columns_headline(result),
                [VIEW_SORT_RATIO] = "ratio.point",
        };

        if (sort == VIEW_SORT_RATIO || (compared && sort == VIEW_SORT_NAME))
                return error_trace(sort_list(result, "comparisons", paths[sort]));
        return compared ? 0 : error_trace(sort_list(result, "benchmarks", paths[sort]));
}

int sort_result(const json_t *result, ViewSort sort, json_t **ret_sorted) {
        _cleanup_(json_decrefp) json_t *sorted = NULL;
        int r;

        sorted = sort == VIEW_SORT_NONE ? json_incref((json_t *)result) : json_copy((json_t *)result);
        if (!sorted)
                return error_origin(-ENOMEM);
        r = sort == VIEW_SORT_NONE ? 0 : sort_rows(sorted, sort);
        if (r)
                return error_trace(r);
        *ret_sorted = take_pointer(sorted);
        return 0;
}
