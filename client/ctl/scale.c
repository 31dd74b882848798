/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/scale.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctl/json-path.h"
#include "ctl/row.h"
#include "util/error.h"

#define SCALE_METHOD   "measureit" /* its table is always scaled */
#define SCALE_NAME_MAX 256u

/* @name is "name" or "area/name". */
static bool is_called(const json_t *benchmark, const char *name) {
        const char *area = json_text_at(benchmark, "area"), *own = json_text_at(benchmark, "name");
        char whole[SCALE_NAME_MAX];

        if (!own)
                return false;
        snprintf(whole, sizeof whole, "%s/%s", area ? area : "", own);
        return strcmp(name, own) == 0 || strcmp(name, whole) == 0;
}

static bool is_reference(const json_t *benchmark) {
        const char *method = json_text_at(benchmark, "method");

        return method && strcmp(method, SCALE_METHOD) == 0 && json_flag_at(benchmark, "reference");
}

static json_t *find_reference(const json_t *result, const char *name, double *ret_ns) {
        const json_t *benchmarks = json_at(result, "benchmarks");
        const char *headline = row_headline(result);

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                json_t *benchmark = json_array_get(benchmarks, i);

                if (name ? !is_called(benchmark, name) : !is_reference(benchmark))
                        continue;
                if (json_number_at(benchmark, headline, ret_ns) && *ret_ns > 0)
                        return benchmark;
        }
        return NULL;
}

/* Counts and shares stand among the times. */
static bool is_time(const char *key) {
        return strcmp(key, "samples") != 0 && strcmp(key, "within_1sd") != 0 && strcmp(key, "within_2sd") != 0;
}

/* Divides every time of @times and of the objects in it. */
static int divide(json_t *times, double unit) {
        const char *key;
        json_t *value;
        void *next;

        json_object_foreach_safe(times, next, key, value) {
                int r = 0;

                if (json_is_object(value))
                        r = divide(value, unit);
                else if (json_is_number(value) && is_time(key) &&
                                json_object_set_new(times, key, json_real(json_number_value(value) / unit)) < 0)
                        r = -ENOMEM;
                if (r)
                        return error_origin(r);
        }
        return 0;
}

int scale_apply(json_t *result, const char *name) {
        json_t *benchmarks = json_object_get(result, "benchmarks");
        const json_t *reference;
        double ns;
        int r;

        reference = find_reference(result, name, &ns);
        if (!reference)
                return name ? SCALE_E_NONE : 0;
        if (json_object_set_new(result, "scale",
                            json_pack("{s:O?, s:f}", "name", json_at(reference, "name"), "ns", ns)) < 0)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                json_t *benchmark = json_array_get(benchmarks, i);

                r = divide(json_object_get(benchmark, "time_ns"), ns);
                if (r)
                        return error_trace(r);
                if (json_object_set_new(benchmark, "scaled", json_true()) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}
