/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/curves.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"

const char *curves_axis(const json_t *rows, const json_t *row) {
        const char *key;
        json_t *value;

        row_each_argument(key, value, row) {
                for (size_t i = 0; json_is_number(value) && i < json_array_size(rows); i++) {
                        const json_t *other = json_array_get(rows, i);
                        const json_t *others = json_object_get(json_at(other, "args"), key);

                        if (json_is_same(row, other, "area") && json_is_same(row, other, "name") &&
                                        json_is_number(others) && !json_equal(others, value))
                                return key;
                }
        }
        return NULL;
}

double curves_x(const json_t *row, const char *x) {
        const json_t *value = x ? json_object_get(json_at(row, "args"), x) : NULL;

        return json_is_number(value) ? json_number_value(value) : NAN;
}

json_t *curves_find_or_add(json_t *list, const char *key, const char *text, const json_t *model) {
        json_t *object;

        for (size_t i = 0; i < json_array_size(list); i++)
                if (strcmp(json_string_value(json_object_get(json_array_get(list, i), key)), text) == 0)
                        return json_array_get(list, i);
        object = json_deep_copy(model);
        if (!object || json_object_set_new(object, key, json_string(text)) < 0 ||
                        json_array_append_new(list, object) < 0)
                return NULL;
        return object;
}

/* A copy of @row without the argument @axis: what a curve is called. */
static json_t *row_without(const json_t *row, const char *axis) {
        json_t *copy = json_copy((json_t *)row), *args = json_copy((json_t *)json_at(row, "args"));

        if (!copy || !args || json_object_del(args, axis) < 0 || json_object_set_new(copy, "args", args) < 0) {
                json_decref(copy);
                return NULL;
        }
        return copy;
}

/* The pair in which @row is one of the sides; NULL: none. */
static const json_t *pair_of(const json_t *result, const json_t *row) {
        const json_t *pair;

        result_each_comparison(i, pair, result) {
                if (json_is_same(pair, row, "index"))
                        return pair;
        }
        return NULL;
}

/* "strings by n"; of a pair from two areas "new against old by n". The caller frees it; NULL if memory ran out. */
static char *figure_title(const json_t *result, const json_t *row, const char *axis) {
        const json_t *pair = pair_of(result, row);
        const char *area = row_area(pair ? pair : row), *old = json_text_or(pair, "old_area", area);
        char *title;

        if (asprintf(&title, "%s%s%s by %s", area, strcmp(area, old) != 0 ? " against " : "",
                            strcmp(area, old) != 0 ? old : "", axis) < 0)
                return NULL;
        return title;
}

/* Tells two curves of one title apart, and the sides of a pair. The caller frees it; NULL if memory ran out. */
static char *path_of(const json_t *curve) {
        _cleanup_(freep) char *path = row_path(curve);
        char *sided;

        return path && asprintf(&sided, "%s (%s)", path, json_text_or(curve, "side", "")) >= 0 ? sided : NULL;
}

static int add_point(json_t *figures, const json_t *result, const json_t *row, const char *axis) {
        _cleanup_(json_decrefp) json_t *curve = row_without(row, axis);
        _cleanup_(json_decrefp) json_t *new_figure = json_pack("{s:s, s:[]}", "x", axis, "sets");
        _cleanup_(freep) char *name = curve ? cell_make(cell_sided_name, NULL, curve, NULL) : NULL;
        _cleanup_(freep) char *path = curve ? path_of(curve) : NULL;
        _cleanup_(json_decrefp) json_t *new_set = json_pack("{s:s, s:[]}", "title", name, "rows");
        _cleanup_(freep) char *title = figure_title(result, row, axis);
        json_t *figure, *set;

        if (!name || !path || !title || !new_figure || !new_set)
                return error_origin(-ENOMEM);
        figure = curves_find_or_add(figures, "title", title, new_figure);
        set = figure ? curves_find_or_add(json_object_get(figure, "sets"), "path", path, new_set) : NULL;
        return set && json_array_append(json_object_get(set, "rows"), (json_t *)row) == 0 ? 0 : error_origin(-ENOMEM);
}

int curves_add(json_t *figures, const json_t *result) {
        const json_t *rows = result_rows(result), *row;
        int r = 0;

        json_each(i, row, rows) {
                const char *axis =
                                row_has_failed(row) || !json_at(row, "time_ns.point") ? NULL : curves_axis(rows, row);

                if (axis && r == 0)
                        r = add_point(figures, result, row, axis);
        }
        return error_trace(r);
}
