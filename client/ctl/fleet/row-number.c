/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/fleet/row-number.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/clock-step.h"
#include "ctl/json-path.h"
#include "ctl/log-time.h"
#include "ctl/result.h"
#include "stats/strata.h"
#include "util/cleanup.h"

#define CONFIDENCE 0.95 /* of a result's intervals */
#define LINE_BYTES 64u  /* of a cache: the module is moved by fewer */

static double number_or_nan(const json_t *json, const char *path) {
        double number;

        return json_number_at(json, path, &number) ? number : NAN;
}

static bool interval_read(const json_t *json, MeanInterval *ret_interval) {
        ret_interval->point = number_or_nan(json, "point");
        ret_interval->low = number_or_nan(json, "low");
        ret_interval->high = number_or_nan(json, "high");
        return isfinite(ret_interval->point);
}

/* The processes of @row that have @median, as those of the headline do. */
static size_t count_processes(const json_t *row, const char *median) {
        const json_t *processes = json_at(row, "processes");
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(processes); i++)
                n += isfinite(number_or_nan(json_array_get(processes, i), median));
        return n;
}

static bool quantity_read(const json_t *row, const char *quantity, const char *median, RowNumber *number) {
        *number = (RowNumber){
                .within_process = number_or_nan(row, "variance.within_process"),
                .between_process = number_or_nan(row, "variance.between_process"),
        };
        if (!interval_read(json_at(row, quantity), &number->interval))
                return false;
        number->n = count_processes(row, median);
        number->logs = machines_logs_of(&number->interval, CONFIDENCE, log_time_freedom(row, number->n));
        return true;
}

bool row_number_time(const json_t *result, const json_t *row, RowNumber *ret_number) {
        if (!quantity_read(row, "time_ns", "median_ns", ret_number))
                return false;
        ret_number->step = clock_step_of(result, row);
        return true;
}

/* Cycles that the core counts itself come in no steps of the clock. */
bool row_number_cycles(const json_t *result, const json_t *row, RowNumber *ret_number) {
        const char *source = json_text_at(row, "cycles.source");

        if (!quantity_read(row, "cycles", "median_cycles", ret_number))
                return false;
        ret_number->step = source && strcmp(source, "ruler") == 0 ? clock_step_of(result, row) : 0;
        return true;
}

/* ---- ratios */

const json_t *row_side(const json_t *result, const json_t *comparison, const char *side) {
        const json_t *benchmarks = result_rows(result), *index = json_at(comparison, "index");

        for (size_t i = 0; json_is_integer(index) && i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);

                if (json_integer_value(json_object_get(benchmark, "index")) == json_integer_value(index)) {
                        const char *own = json_text_at(benchmark, "side");

                        if (own && strcmp(own, side) == 0)
                                return benchmark;
                }
        }
        return NULL;
}

/*
 * The degrees of the interval of @n processes: it is of the spread within each place of the code (stats/strata.h). Sides that do not tell the places of just these processes count as having one.
 */
static double ratio_freedom(const json_t *new, const json_t *old, size_t n) {
        const json_t *sides[] = { json_at(new, "processes"), json_at(old, "processes") };
        unsigned counts[LINE_BYTES * LINE_BYTES] = {};
        size_t n_places = 0;

        if (json_array_size(sides[0]) != n || json_array_size(sides[1]) != n)
                return (double)n - 1;
        for (size_t i = 0; i < n; i++) {
                double of_new, of_old;

                if (!json_number_at(json_array_get(sides[0], i), "image_offset", &of_new) ||
                                !json_number_at(json_array_get(sides[1], i), "image_offset", &of_old) || of_new < 0 ||
                                of_new >= LINE_BYTES || of_old < 0 || of_old >= LINE_BYTES)
                        return (double)n - 1;
                counts[(size_t)of_new * LINE_BYTES + (size_t)of_old]++;
        }
        for (size_t i = 0; i < N_ELEMENTS(counts); i++)
                n_places += counts[i] > 0;
        return strata_freedom(n, n_places);
}

bool row_number_ratio(const json_t *result, const json_t *row, RowNumber *ret_number) {
        const json_t *new = row_side(result, row, "new"), *old = row_side(result, row, "old");
        RowNumber number = { .within_process = NAN };
        double n;

        if (!interval_read(json_at(row, "ratio"), &number.interval))
                return false;
        number.n = json_number_at(row, "processes", &n) ? n : 0;
        number.logs = machines_logs_of(&number.interval, CONFIDENCE, ratio_freedom(new, old, number.n));
        number.step = clock_step_of(result, new) + clock_step_of(result, old);
        number.between_process = number.logs.error * sqrt(number.n);
        *ret_number = number;
        return true;
}
