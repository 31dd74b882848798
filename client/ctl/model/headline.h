/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The time that a result is told by (--headline): the median of an operation, as measured, or the mean, which differs where a benchmark has
 * a rare slow part. Pure.
 */

#include <stdbool.h>

#define HEADLINE_WORDS "median|mean"

typedef struct json_t json_t;

/* True if @word is one of HEADLINE_WORDS. */
bool headline_is_known(const char *word);

/*
 * Puts the mean, with its interval, in the place of the time of each benchmark of @result that has another one, and the ratio of the means
 * with its verdict in that of a comparison; for another @word than "mean" nothing changes. Returns 0 or a negative errno.
 */
int headline_apply(json_t *result, const char *word);
