/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A row of one machine's result as a number that is pooled or compared: a time, cycles, or the ratio of a comparison.
 *
 * The mean of logs is the log of the point, which is just that: exp of the mean over processes. The error is that of the interval, so
 * it includes whatever the machine widened the interval for. The degrees of freedom are those of the processes; of a comparison, of the
 * processes within each place of the code.
 */

#include <stdbool.h>
#include <stddef.h>

#include "stats/interval.h"

typedef struct json_t json_t;

#define ROW_NUMBER_CONFIDENCE 0.95 /* of a result's intervals */

typedef struct RowNumber {
        Interval interval;     /* as the machine tells it; low and high are NaN where it tells none */
        size_t n;              /* processes */
        IntervalLogMean logs;  /* mean is NaN where the point is not above 0 */
        double step;           /* of the clock, of logs; 0: unknown */
        double within_process; /* standard deviations of logs: from sample to sample; NaN: unknown */
        double between_process;
} RowNumber;

/* Reads the number of @row, a row of @result. False if it has none. */
typedef bool (*RowNumberRead)(const json_t *result, const json_t *row, RowNumber *ret_number);
bool row_number_time(const json_t *result, const json_t *row, RowNumber *ret_number);
bool row_number_cycles(const json_t *result, const json_t *row, RowNumber *ret_number);
bool row_number_ratio(const json_t *result, const json_t *row, RowNumber *ret_number);
