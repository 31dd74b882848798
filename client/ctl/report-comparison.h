/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A comparison's table: a row a pair of benchmarks, with how much longer the new side takes and what is to be thought of it.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct Footnotes Footnotes;
typedef struct json_t json_t;

/* Whether @result is one of a comparison. */
bool comparison_is_in(const json_t *result);

/* Prints the table of @result; what a row warns of is noted in @footnotes. Returns 0 or a negative errno. */
int comparison_print(const json_t *result, bool color, Footnotes *footnotes, FILE *out);
