/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Values within a JSON object by dotted path: "environment.cpu.brand", "time_ns.0.point". A value that is absent, null or of another type
 * counts as missing, so that tables work with any object.
 */

#include <stdbool.h>

/* A number as text, with all the digits that a double always preserves. */
#define JSON_DIGITS 15
#define JSON_NUMBER "%.15g"

typedef struct json_t json_t;

/* The value at @path, borrowed; NULL if it is missing. */
const json_t *json_at(const json_t *json, const char *path);

/* The text at @path; NULL if it is missing or empty. */
const char *json_text_at(const json_t *json, const char *path);
const char *json_text_or(const json_t *json, const char *path, const char *otherwise);

/* True if there is a text at @path, and it is @text. */
bool json_text_is(const json_t *json, const char *path, const char *text);

/* The number at @path, of any type, as a double. Returns false if it is missing. */
bool json_number_at(const json_t *json, const char *path, double *ret_number);
double json_number_or(const json_t *json, const char *path, double otherwise);

/* The flag at @path; false if it is missing. */
bool json_flag_at(const json_t *json, const char *path);

/* True if both have the same at @path, or both lack it. */
bool json_is_same(const json_t *a, const json_t *b, const char *path);

/* The first value of @array whose text at @path is @text, or NULL. */
const json_t *json_find(const json_t *array, const char *path, const char *text);

/* A new object with the named members of @from in that order, null if @from lacks one; NULL if memory ran out. */
json_t *json_pick(const json_t *from, const char *name, ...) __attribute__((sentinel));

/* Adds the members of @more to @object. Takes both; returns NULL if one of them is NULL, or memory ran out. */
json_t *json_join(json_t *object, json_t *more);

/* Iterates over @array, which may be NULL: each value as @value, with its index @i. */
#define json_each(i, value, array) for (size_t i = 0; ((value) = json_array_get((array), i)) != NULL; i++)
