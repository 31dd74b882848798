/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/step-rows.h"

#include <jansson.h>
#include <stdbool.h>

#include "ctl/json-path.h"

static json_t *step_row(const json_t *benchmark, const json_t *step, bool last) {
        json_t *row = json_copy((json_t *)benchmark);
        json_t *own = json_pack("{s:{s:{s:O?, s:O?}}, s:O?, s:O?}", "time_ns", "raw", "mean", json_at(step, "mean_ns"),
                        "stddev", json_at(step, "stddev_ns"), "iterations_per_sample", json_at(step, "iterations"),
                        "samples", json_at(step, "samples"));

        if (row && own)
                json_object_update(row, own);
        if (row && !last)
                json_object_del(row, "warnings");
        json_decref(own);
        return row;
}

json_t *step_rows(const json_t *benchmark) {
        const json_t *steps = json_at(benchmark, "steps");
        size_t n = json_array_size(steps);
        json_t *rows = json_array();

        if (n == 0)
                json_array_append(rows, (json_t *)benchmark);
        for (size_t i = 0; i < n; i++)
                json_array_append_new(rows, step_row(benchmark, json_array_get(steps, i), i + 1 == n));
        if (json_array_size(rows) == (n > 0 ? n : 1))
                return rows;
        json_decref(rows);
        return NULL;
}
