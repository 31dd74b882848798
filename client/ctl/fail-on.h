/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conditions of --fail-on: the findings that a script wants as an exit code, each its own.
 */

#include <stdbool.h>

typedef struct Verb Verb;
typedef struct json_t json_t;

enum {
        _FAIL_ON_E_SUCCESS,

        FAIL_ON_E_UNKNOWN, /* a word that is no condition, or none of this verb */
};

/* Reads @text, words of conditions with commas between, as bits. Returns 0 or E_UNKNOWN. */
int fail_on_parse(const char *text, const Verb *verb, unsigned *ret_conditions);

/* The words that @verb takes, as an enumeration. */
const char *fail_on_words(const Verb *verb);

/* The exit code of @result, which ended well, by the first of @conditions that holds: unfit, slower, unresolved. */
int fail_on_judge(unsigned conditions, const json_t *result);
