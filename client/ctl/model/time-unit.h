/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The one unit in which all times of a report are shown, where the user asks for one. It is noted in the copy of the JSON that a report is
 * made of, in each row that has times, so that a report stays a function of its JSON.
 */

#include <stdbool.h>

#define TIME_UNIT_WORDS "auto|ns|us|ms|s"

/* The member of a row that has the note, for rows that are made of others. */
#define TIME_UNIT_KEY "time_unit"

typedef struct TimeUnit TimeUnit;
typedef struct json_t json_t;

/* True if @word is one of TIME_UNIT_WORDS, or the unit as it is shown. */
bool time_unit_is_known(const char *word);

/* Notes the unit @word (NULL or "auto": none) in @json, a report's. Returns 0 or a negative errno. */
int time_unit_apply(json_t *json, const char *word);

/* The unit that is noted in @row; NULL: each time has the one that suits it. */
const TimeUnit *time_unit_of(const json_t *row);
