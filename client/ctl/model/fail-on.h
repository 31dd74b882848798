/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conditions of --fail-on: findings that scripts want as exit codes, one each.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Verb Verb;
typedef struct json_t json_t;

#define FAIL_ON_LIMITS_MAX 8u
#define FAIL_ON_GLOB_MAX   128u

/* "time>5ms", or "time(GLOB)>5ms" for matching rows. */
typedef struct FailOnLimit {
        char glob[FAIL_ON_GLOB_MAX]; /* a filter */
        double limit_ns;
} FailOnLimit;

typedef struct FailOn {
        unsigned words; /* as bits */
        FailOnLimit limits[FAIL_ON_LIMITS_MAX];
        size_t n_limits;
        bool bisects; /* the exit code is for 'git bisect run' */
} FailOn;

enum {
        _FAIL_ON_E_SUCCESS,

        FAIL_ON_E_UNKNOWN, /* not a condition, or not a condition of this verb */
        FAIL_ON_E_LIMIT,   /* a malformed limit of time, or too many */
};

/* Adds the comma-separated conditions of @text to @of. Returns 0, or E_UNKNOWN or E_LIMIT with nothing added. */
int fail_on_add(FailOn *of, const char *text, const Verb *verb);

/*
 * Sets the conditions of --bisect, where @bad, "slower" or "faster", is the change that makes a commit bad. Returns 0 or E_UNKNOWN. A
 * comparison without rows is unresolved.
 */
int fail_on_bisect(FailOn *of, const char *bad);

/* The exit code for 'git bisect run' of a command that would else exit with @code. */
int fail_on_bisect_exit(int code);

/* True if one of the conditions applies to a comparison. */
bool fail_on_compares(const FailOn *conditions);

/* The words that @verb takes, without a baseline, as an enumeration. */
const char *fail_on_words(const Verb *verb);

/* The number of rows of @result that comparison conditions cannot judge: their times are not comparable (WARNING_UNLIKE_TIMES). */
size_t fail_on_unjudged(const json_t *result);

/* The first benchmark of @result above one of the limits of time; NULL: none. */
const json_t *fail_on_over(const FailOn *conditions, const json_t *result, const FailOnLimit **ret_limit);

/*
 * The exit code of the successful @result, by the first of @conditions that holds, in the order unfit, slower, limit of
 * time, unresolved. A limit holds if a row's whole interval is above it, or its time if it has no interval.
 */
int fail_on_judge(const FailOn *conditions, const json_t *result);
