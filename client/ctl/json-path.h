/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Values within a JSON object by dotted path: "environment.cpu.brand". What is absent, null or of another type is not
 * there, so that a table can be made of any object.
 */

#include <stdbool.h>

typedef struct json_t json_t;

/* NULL if it is not there. The reference is borrowed. */
const json_t *json_at(const json_t *json, const char *path);

/* NULL if it is not there, or empty. */
const char *json_text_at(const json_t *json, const char *path);

/* Takes a number of any kind; false if there is none. */
bool json_number_at(const json_t *json, const char *path, double *ret_number);

/* False if it is not there. */
bool json_flag_at(const json_t *json, const char *path);
