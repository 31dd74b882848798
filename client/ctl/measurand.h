/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Measurand: the samples that a row's time is of. Times of different samples say nothing of each other, since a busy neighbour on the
 * core makes most code slower by up to a factor of two and more. The one home of the question which rows may be compared. Pure.
 */

#include <stdbool.h>

typedef struct json_t json_t;

typedef enum Measurand {
        MEASURAND_UNTOLD,  /* an older result: alone, or over all samples */
        MEASURAND_UNKNOWN, /* an older result: alone, or beside a neighbour */
        MEASURAND_ALONE,
        MEASURAND_SHARED,
        MEASURAND_ALL,
        _MEASURAND_N,
} Measurand;

/* That of @row, a benchmark of a result or a run of a history, by its field or else by its findings. */
Measurand measurand_of(const json_t *row);

/* True if the times of @a and @b may be compared: both are known to be of one kind, or one is of an older result that may well be. */
bool measurands_are_alike(Measurand a, Measurand b);

/* The text of the field; NULL of MEASURAND_UNTOLD. */
const char *measurand_name(Measurand measurand);

/* Words behind "one time is". */
const char *measurand_words(Measurand measurand);
