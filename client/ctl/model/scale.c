/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/scale.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/columns.h"
#include "ctl/model/log-time.h"
#include "ctl/model/result.h"
#include "ctl/model/time-unit.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* "area/name/arg=value", as the daemon writes it. Returns NULL if memory ran out. */
static char *path_of(const json_t *benchmark) {
        _cleanup_(text_stream_clear) TextStream path = {};

        row_print_path(benchmark, text_stream_open(&path));
        return text_stream_take(&path);
}

/* True if @path is @name, or goes on after it with arguments. */
static bool begins_with(const char *path, const char *name) {
        const size_t n = strlen(name);

        return strncmp(path, name, n) == 0 && (path[n] == '\0' || (path[n] == '/' && strchr(path + n, '=')));
}

/* An empty @name is of those that are marked. */
static bool is_called(const json_t *benchmark, const char *path, const char *name) {
        if (!*name)
                return json_flag_at(benchmark, "reference");
        return begins_with(strchr(path, '/') + 1, name) || (strchr(name, '/') && begins_with(path, name));
}

/* The benchmark that is 1.0, borrowed. */
typedef struct Yardstick {
        json_t *benchmark;
        char *path;
        double ns;
        double half; /* of the interval of its log; NaN: it has none */
} Yardstick;

static void yardstick_clear(Yardstick *yardstick) {
        free(yardstick->path);
}

/* Finds the one of several of a name that is marked, or the only one. Returns 0, E_NONE, E_SEVERAL, or a negative errno. */
static int yardstick_find(const json_t *result, const char *name, Yardstick *ret_yardstick) {
        const json_t *benchmarks = result_rows(result);
        const char *headline = columns_headline(result);
        size_t n = 0, n_marked = 0;

        for (size_t i = 0; i < json_array_size(benchmarks) && n_marked == 0; i++) {
                json_t *benchmark = json_array_get(benchmarks, i);
                _cleanup_(freep) char *path = path_of(benchmark);
                LogTime time = { .half = NAN };
                double ns;

                if (!path)
                        return error_origin(-ENOMEM);
                if (!is_called(benchmark, path, name) || !json_number_at(benchmark, headline, &ns) || !(ns > 0))
                        continue;
                n++;
                n_marked += json_flag_at(benchmark, "reference");
                free(ret_yardstick->path);
                (void)log_time_of(json_at(benchmark, "time_ns"), &time);
                *ret_yardstick = (Yardstick){ benchmark, take_pointer(path), ns, time.half };
        }
        if (n == 0)
                return SCALE_E_NONE;
        return n > 1 && n_marked == 0 ? SCALE_E_SEVERAL : 0;
}

/* ---- intervals of multiples */

/* @bound of the interval around @point, further off by @half, an error of a log that is independent of the point's. */
static double bound_widened(double point, double bound, double half) {
        const double sign = bound < point ? -1 : 1;

        if (point > 0 && bound > 0)
                return point * exp(sign * hypot(log(bound / point), half));
        return point + sign * hypot(bound - point, point * half);
}

/* A multiple of a yardstick whose error is unknown has none that is known. */
static int set_bound(json_t *time, const char *key, double bound) {
        json_t *value = isfinite(bound) ? json_real(bound) : json_null();

        return json_object_set_new(time, key, value) < 0 ? error_origin(-ENOMEM) : 0;
}

/* Adds an error of @half to each interval of @time and of the objects in it. */
static int widen(json_t *time, double half) {
        double point, low, high;
        const char *key;
        json_t *value;
        int r = 0;

        if (json_number_at(time, "point", &point) && json_number_at(time, "low", &low) &&
                        json_number_at(time, "high", &high)) {
                r = set_bound(time, "low", bound_widened(point, low, half));
                if (r == 0)
                        r = set_bound(time, "high", bound_widened(point, high, half));
        }
        json_object_foreach(time, key, value) {
                if (r == 0 && json_is_object(value))
                        r = widen(value, half);
        }
        return error_trace(r);
}

/* The yardstick is 1 by definition, and so without an error. */
static int make_exact(json_t *time) {
        double point;

        if (!json_number_at(time, "point", &point))
                return 0;
        return set_bound(time, "low", point) || set_bound(time, "high", point) ? error_trace(-ENOMEM) : 0;
}

static int widen_row(json_t *row, const Yardstick *yardstick) {
        json_t *machines = json_object_get(row, "machines");
        int r;

        if (row == yardstick->benchmark)
                return error_trace(make_exact(json_object_get(row, "time_ns")));
        r = widen(json_object_get(row, "time_ns"), yardstick->half);
        if (r == 0)
                r = widen(json_object_get(row, "amortised"), yardstick->half);
        for (size_t i = 0; r == 0 && i < json_array_size(machines); i++)
                r = widen(json_array_get(machines, i), yardstick->half);
        return error_trace(r);
}

/* ---- times */

/* Counts and shares stand among the times. */
static bool is_time(const char *key) {
        static const char *const counts[] = { "samples", "below", "above" };

        for (size_t i = 0; i < N_ELEMENTS(counts); i++)
                if (strcmp(key, counts[i]) == 0)
                        return false;
        return strncmp(key, "within_", strlen("within_")) != 0;
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

static int divide_field(json_t *row, const char *key, double unit) {
        json_t *value = json_object_get(row, key);

        if (!json_is_number(value))
                return 0;
        return json_object_set_new(row, key, json_real(json_number_value(value) / unit)) < 0 ? error_origin(-ENOMEM)
                                                                                             : 0;
}

/* Divides the times of @row, those of its counts of iterations and of its machines among them, and marks it. */
static int scale_row(json_t *row, const Yardstick *yardstick) {
        static const char *const of_step[] = { "mean_ns", "stddev_ns" }, *const of_interval[] = { "point", "low",
                "high" };
        json_t *steps = json_object_get(row, "steps"), *machines = json_object_get(row, "machines");
        int r;

        r = widen_row(row, yardstick);
        if (r == 0)
                r = divide(json_object_get(row, "time_ns"), yardstick->ns);
        if (r == 0)
                r = divide_field(row, "harness_error_ns", yardstick->ns);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(of_interval); i++)
                r = divide_field(json_object_get(row, "amortised"), of_interval[i], yardstick->ns);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(of_step) * json_array_size(steps); i++)
                r = divide_field(json_array_get(steps, i / N_ELEMENTS(of_step)), of_step[i % N_ELEMENTS(of_step)],
                                yardstick->ns);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(of_interval) * json_array_size(machines); i++)
                r = divide_field(json_array_get(machines, i / N_ELEMENTS(of_interval)),
                                of_interval[i % N_ELEMENTS(of_interval)], yardstick->ns);
        if (r)
                return error_trace(r);
        if (json_object_set_new(row, "scaled", json_true()) < 0 ||
                        json_object_set_new(row, "reference", json_boolean(row == yardstick->benchmark)) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

int scale_apply(json_t *result, const char *name) {
        json_t *benchmarks = json_object_get(result, "benchmarks"), *empty = json_object_get(result, "empty");
        _cleanup_(yardstick_clear) Yardstick yardstick = {};
        int r;

        if (!name && !json_text_at(result, "reference"))
                return 0;
        r = yardstick_find(result, name ? name : "", &yardstick);
        if (r > 0)
                return name ? r : 0;
        if (r)
                return error_trace(r);
        if (json_object_set_new(result, "scale",
                            json_pack("{s:s, s:f}", "name", strchr(yardstick.path, '/') + 1, "ns", yardstick.ns)) < 0)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                r = scale_row(json_array_get(benchmarks, i), &yardstick);
        if (r == 0 && json_is_object(empty))
                r = scale_row(empty, &yardstick);
        return error_trace(r);
}

void scale_print(const json_t *result, const char *before, const char *after, FILE *out) {
        const char *name = json_text_at(result, "scale.name");
        char text[UNIT_TEXT_MAX];
        double ns;

        if (name && json_number_at(result, "scale.ns", &ns))
                fprintf(out, "%sScaled where %s = 1.0 (%s = 1.0 units)%s", before, name,
                                unit_time_in(time_unit_of(result), ns, text), after);
}
