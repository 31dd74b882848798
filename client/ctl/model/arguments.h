/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The arguments of a row in words, as in filters and the daemon's messages: integers, real numbers to 15 digits, texts.
 */

#include <stdio.h>

typedef struct json_t json_t;

void arguments_print_value(const json_t *value, FILE *out);

/* Prints " NAME=VALUE" for each of "args" of @row. */
void arguments_print(const json_t *row, FILE *out);
