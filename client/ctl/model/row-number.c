/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/row-number.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "stats/interval.h"
#include "util/cleanup.h"
#include "util/time.h"

#define LINE_BYTES 64u /* of a cache: the module is moved by fewer */

static bool interval_read(const json_t *row, const char *path, Interval *ret_interval) {
        const RowEstimate estimate = row_estimate(row, path);

        *ret_interval = (Interval){ estimate.point, estimate.low, estimate.high };
        return isfinite(estimate.point);
}

/* The places of the code that gave a median: each takes a degree of freedom. */
static size_t count_places(const json_t *row) {
        const json_t *place;
        size_t n = 0;

        json_each(i, place, json_at(row, "places"))
                n += json_number_or(place, "processes", 0) > 0;
        return n;
}

/*
 * The largest part that a step of the clock is of a batch, over the processes in the headline of @row of @result: its times show no
 * less, and all may be off by it. 0 where they are not of the clock of @result.
 */
static double clock_step(const json_t *result, const json_t *row) {
        const double hz = json_number_or(result, "environment.tsc.hz", 0);
        const double step_ns = json_number_or(result, "environment.tsc.quantum_ticks", 0) / hz * (double)NS_PER_S;
        const double operations = json_number_or(row, "ops_per_iteration", 1);
        const json_t *process;
        double step = 0;

        if (strcmp(json_text_or(row, "clock", "wall"), "wall") != 0 || json_flag_at(row, "manual_time") || hz <= 0)
                return 0;
        json_each(i, process, json_at(row, "processes")) {
                const double batch_ns = json_number_or(process, "median_ns", 0) * operations *
                                        json_number_or(process, "iterations", 0);

                if (batch_ns > 0)
                        step = fmax(step, step_ns / batch_ns);
        }
        return step;
}

/* The processes of @row that have @median, as the headline's processes do. */
static size_t count_processes(const json_t *row, const char *median) {
        const json_t *process;
        size_t n = 0;

        json_each(i, process, json_at(row, "processes"))
                n += json_is_number(json_at(process, median));
        return n;
}

static bool quantity_read(const json_t *row, const char *quantity, const char *median, RowNumber *number) {
        *number = (RowNumber){
                .within_process = json_number_or(row, "variance.within_process", NAN),
                .between_process = json_number_or(row, "variance.between_process", NAN),
        };
        if (!interval_read(row, quantity, &number->interval))
                return false;
        number->n = count_processes(row, median);
        number->logs = interval_log_mean(&number->interval, ROW_NUMBER_CONFIDENCE,
                        interval_strata_freedom(number->n, count_places(row)));
        return true;
}

bool row_number_time(const json_t *result, const json_t *row, RowNumber *ret_number) {
        if (!quantity_read(row, "time_ns", "median_ns", ret_number))
                return false;
        ret_number->step = clock_step(result, row);
        return true;
}

/* Cycles that the core counts itself come in no steps of the clock. */
bool row_number_cycles(const json_t *result, const json_t *row, RowNumber *ret_number) {
        if (!quantity_read(row, "cycles", "median_cycles", ret_number))
                return false;
        ret_number->step = json_text_is(row, "cycles.source", "ruler") ? clock_step(result, row) : 0;
        return true;
}

/* ---- ratios */

/*
 * The degrees of the interval of @n processes: it is of the spread within each place of the code (stats/interval.h). Sides that do not
 * report the places of exactly these processes count as having one place.
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
        return interval_strata_freedom(n, n_places);
}

bool row_number_ratio(const json_t *result, const json_t *row, RowNumber *ret_number) {
        const json_t *new = result_side(result, row, "new"), *old = result_side(result, row, "old");
        RowNumber number = { .within_process = NAN };
        double rounds;
        bool in_rounds;

        if (!interval_read(row, "ratio", &number.interval))
                return false;
        number.n = json_number_or(row, "processes", 0);
        in_rounds = json_number_at(row, "rounds", &rounds); /* of which the interval is then */
        number.logs = interval_log_mean(&number.interval, json_number_or(row, "confidence", ROW_NUMBER_CONFIDENCE),
                        in_rounds ? rounds - 1 : ratio_freedom(new, old, number.n));
        number.step = clock_step(result, new) + clock_step(result, old);
        number.between_process = number.logs.error * sqrt(in_rounds ? rounds : number.n);
        *ret_number = number;
        return true;
}
