/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Values within a JSON object by dotted path: "environment.cpu.brand". A value that is absent, null or of another type
 * counts as missing, so that a table can be made from any object.
 */

#include <stdbool.h>

typedef struct json_t json_t;

/* NULL if the value is missing. The reference is borrowed. */
const json_t *json_at(const json_t *json, const char *path);

/* NULL if the text is missing or empty. */
const char *json_text_at(const json_t *json, const char *path);

/* Any number, as a double; false if it is missing. */
bool json_number_at(const json_t *json, const char *path, double *ret_number);

/* False if the flag is missing. */
bool json_flag_at(const json_t *json, const char *path);
