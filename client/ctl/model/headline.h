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
 * Makes of @result one told by @word: for "mean" the mean, with its interval, stands in the place of the time of each benchmark that has
 * one, and the ratio of the means with its verdict in that of a comparison; all else is shared with @result. For another word it is
 * @result itself. A new reference in @ret_result. Returns 0 or a negative errno.
 */
int headline_of(const json_t *result, const char *word, json_t **ret_result);
