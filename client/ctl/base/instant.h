/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Points in time as users write and read them: in their time zone, or as an age.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTANT_TEXT_MAX 64u

enum {
        _INSTANT_E_SUCCESS,

        INSTANT_E_MALFORMED, /* neither an age nor a date of the calendar */
};

/*
 * Reads "2h" (of s, min, h, d, w), "today", "yesterday", "2026-05-01", "2026-05-01 14:30" or "2026-05-01 14:30:15" (a T
 * may stand for the space). @now and the result are seconds since 1970 in UTC. Returns 0 or E_MALFORMED.
 */
int instant_parse(const char *text, int64_t now, int64_t *ret_seconds);

/* The UTC instant @iso, as JSON has it, in seconds since 1970; NAN if it is not an instant. */
double instant_seconds(const char *iso);

/*
 * Writes the UTC instant @iso ("2026-05-01T12:30:15.123Z"), as JSON has it, in local time by strftime's @format.
 * Returns false, with nothing written, if @iso is not an instant.
 */
bool instant_local(const char *iso, const char *format, char text[static INSTANT_TEXT_MAX]);
