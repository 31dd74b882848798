/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What is to be said against a result or a daemon: a line each, below its table.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* Prints each string of @warnings, an array or NULL. */
void warnings_print(const json_t *warnings, bool color, FILE *out);
