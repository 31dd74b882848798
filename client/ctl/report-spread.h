/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A second table of a run, for who asks for details: how the times of each benchmark spread, and what older harnesses would
 * have reported.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* Returns 0 or a negative errno. */
int report_spread(const json_t *result, bool color, FILE *out);
