/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A row of one machine's result as a number to pool or compare: a time, cycles, or the ratio of a comparison.
 *
 * The mean of logs is the log of the point, since the point is exp of the mean over processes. The error comes from the interval, so it
 * includes all reasons for which the machine widened it. The degrees of freedom come from the processes; for a comparison, from the
 * processes within each place of the code.
 */

#include <stdbool.h>
#include <stddef.h>

#include "stats/interval.h"

typedef struct json_t json_t;

#define ROW_NUMBER_CONFIDENCE 0.95 /* of a result's intervals */

typedef struct RowNumber {
        Interval interval;     /* as reported by the machine; low and high are NaN if it reports none */
        size_t n;              /* processes */
        IntervalLogMean logs;  /* mean is NaN if the point is not above 0 */
        double step;           /* of the clock, of logs; 0: unknown */
        double within_process; /* standard deviations of logs: from sample to sample; NaN: unknown */
        double between_process;
} RowNumber;

/* Reads the number of @row, a row of @result. False if it has none. */
typedef bool (*RowNumberRead)(const json_t *result, const json_t *row, RowNumber *ret_number);
bool row_number_time(const json_t *result, const json_t *row, RowNumber *ret_number);
bool row_number_cycles(const json_t *result, const json_t *row, RowNumber *ret_number);
bool row_number_ratio(const json_t *result, const json_t *row, RowNumber *ret_number);
