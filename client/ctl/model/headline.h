/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The headline time of a result (--headline): the median of an operation, as measured, or the mean, which differs if a benchmark has a rare
 * slow part. Pure.
 */

#include <stdbool.h>

#define HEADLINE_WORDS "median|mean"

typedef struct json_t json_t;

/* True if @word is one of HEADLINE_WORDS. */
bool headline_is_known(const char *word);

/*
 * Converts @result to the headline @word. For "mean", the mean with its interval replaces the time of each benchmark that has one, and the
 * ratio of the means with its verdict replaces a comparison's; the rest is shared with @result. For another word, @ret_result is @result
 * itself. A new reference in @ret_result. Returns 0 or a negative errno.
 */
int headline_of(const json_t *result, const char *word, json_t **ret_result);
