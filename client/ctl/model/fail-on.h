/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conditions of --fail-on: the findings that a script wants as an exit code, each its own.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Verb Verb;
typedef struct json_t json_t;

#define FAIL_ON_LIMITS_MAX 8u
#define FAIL_ON_GLOB_MAX   128u

/* "time>5ms", or "time(GLOB)>5ms" for some rows. */
typedef struct FailOnLimit {
        char glob[FAIL_ON_GLOB_MAX]; /* a filter */
        double limit_ns;
} FailOnLimit;

typedef struct FailOn {
        unsigned words; /* as bits */
        FailOnLimit limits[FAIL_ON_LIMITS_MAX];
        size_t n_limits;
} FailOn;

enum {
        _FAIL_ON_E_SUCCESS,

        FAIL_ON_E_UNKNOWN, /* a word that is no condition, or none of this verb */
        FAIL_ON_E_LIMIT,   /* a limit of time that cannot be read, or too many */
};

/* Adds those of @text, with commas between, to @of. Returns 0, or E_UNKNOWN or E_LIMIT with nothing added. */
int fail_on_add(FailOn *of, const char *text, const Verb *verb);

/* True if one of the conditions is about a comparison. */
bool fail_on_compares(const FailOn *conditions);

/* The words that @verb takes, without a baseline, as an enumeration. */
const char *fail_on_words(const Verb *verb);

/* The number of rows of @result that no condition on a comparison judges: their times are not comparable (WARNING_UNLIKE_TIMES). */
size_t fail_on_unjudged(const json_t *result);

/* The first benchmark of @result that lies above one of the limits of time; NULL: none does. */
const json_t *fail_on_over(const FailOn *conditions, const json_t *result, const FailOnLimit **ret_limit);

/*
 * The exit code of @result, which ended well, by the first of @conditions that holds: unfit, slower, a limit of time,
 * unresolved. A limit holds where a row's whole interval lies above it, or its time where it has no interval.
 */
int fail_on_judge(const FailOn *conditions, const json_t *result);
