/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A time of a result as a logarithm, with half of its 95 % interval: errors of times are relative, so the errors of a quotient of two times
 * add like the errors of a difference of logs. Pure.
 */

#include <stdbool.h>

typedef struct json_t json_t;

typedef struct LogTime {
        double log;  /* of nanoseconds */
        double half; /* NaN: the time has no interval */
} LogTime;

/* Reads @time, an object with point, low and high. False if its point is missing or not above zero. */
bool log_time_of(const json_t *time, LogTime *ret_time);
