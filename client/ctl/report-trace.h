/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What --trace brought: a line a phase of the first process of each benchmark. The others are in the JSON.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* Prints nothing where nothing was traced. Returns 0 or a negative errno. */
int report_trace(const json_t *result, bool color, FILE *out);
