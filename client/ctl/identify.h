/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The platform in one line, as the first of a report: what would have to be equal for its numbers to be comparable.
 */

#include <stdio.h>

typedef struct json_t json_t;

/* Prints "# " and the platform of @result, what it knows of it: system, kernel, C library, compiler, CPU, local date. */
void identify_print(const json_t *result, FILE *out);
