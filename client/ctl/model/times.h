/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How a report shows times: in one unit, if the user asks for one, or as multiples of one benchmark's time, the yardstick. It applies when
 * a time is printed; the JSON keeps the measured times in nanoseconds.
 *
 * The interval of a multiple includes the errors of both times: its half, of logs, is the root of the sum of their squared halves. The
 * yardstick itself is 1 without an error. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

#include "ctl/base/unit.h"
#include "ctl/model/result.h"

#define TIMES_UNIT_WORDS "auto|ns|us|ms|s"

typedef struct Times {
        const AmountTimeUnit *unit; /* of all times; NULL: the best unit for each */
        const json_t *yardstick;    /* the benchmark that counts as 1.0, borrowed; NULL: times are not multiples */
        double yardstick_ns;        /* its time */
        double yardstick_half;      /* half of the interval of its log; NaN: no interval */
} Times;

/* True if @word is one of TIMES_UNIT_WORDS, or a unit as printed. */
bool times_unit_is_known(const char *word);

/* @times may be NULL here and below: times as measured, each in the best unit. */

bool times_are_scaled(const Times *times);
const AmountTimeUnit *times_unit(const Times *times);

/* A time of @ns, as a multiple if times are scaled. */
double times_number(const Times *times, double ns);

/* The same as text: "1.234 µs"; a multiple has no unit. */
const char *times_text(const Times *times, double ns, char text[static UNIT_TEXT_MAX]);

/* The same with as many digits more as the first one of @error_ns needs; a multiple keeps its four. */
const char *times_text_within(const Times *times, double ns, double error_ns, char text[static UNIT_TEXT_MAX]);

/* Two times, or multiples: "355.10 … 355.31 ns" (unit_range()). */
const char *times_range(const Times *times, double low_ns, double high_ns, char text[static UNIT_TEXT_MAX]);

/* The time of @row with its interval, as multiples if times are scaled; NAN: a number is missing. */
RowEstimate times_estimate(const Times *times, const json_t *row);
