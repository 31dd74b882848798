/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The way in which a report tells times: in one unit, where its reader asks for one, or as multiples of one benchmark's, the yardstick. It
 * is applied where a time is written; the JSON keeps the times that were measured, in nanoseconds.
 *
 * The interval of a multiple has the errors of both times: half of it, of logs, is the root of the sum of the squares of theirs. The
 * yardstick itself is 1 without an error. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

#include "ctl/base/unit.h"
#include "ctl/model/result.h"

#define TIMES_UNIT_WORDS "auto|ns|us|ms|s"

typedef struct Times {
        const AmountTimeUnit *unit; /* of all times; NULL: each has the one that suits it */
        const json_t *yardstick;    /* the benchmark that is 1.0, borrowed; NULL: times are no multiples */
        double yardstick_ns;        /* its time */
        double yardstick_half;      /* of the interval of its log; NaN: it has none */
} Times;

/* True if @word is one of TIMES_UNIT_WORDS, or the unit as it is shown. */
bool times_unit_is_known(const char *word);

/* Each of these takes NULL for times as they were measured, each in the unit that suits it. */

bool times_are_scaled(const Times *times);
const AmountTimeUnit *times_unit(const Times *times);

/* A time of @ns, as a multiple where times are that. */
double times_number(const Times *times, double ns);

/* The same in words: "1.234 µs", a multiple without a unit. */
const char *times_text(const Times *times, double ns, char text[static UNIT_TEXT_MAX]);

/* The time of @row with its interval, NAN where a number is missing; as multiples where times are that. */
RowEstimate times_estimate(const Times *times, const json_t *row);
