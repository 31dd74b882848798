/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text in HTML. Names, titles and output are untrusted: everything but benchctl's own markup must be printed by these functions.
 */

#include <stdio.h>

/* Prints @text (NULL: nothing), with an entity for each character that is special in HTML, including attributes. */
void markup_text(const char *text, FILE *out);

/*
 * Opens a stream that escapes its text like markup_text() and writes it to @out; fclose() ends it. Do not use @out meanwhile. Returns 0 or
 * a negative errno.
 */
int markup_open(FILE *out, FILE **ret_text);

/* Prints the output of @print for @json like markup_text(); nothing if memory ran out. */
typedef struct json_t json_t;
void markup_print(void (*print)(const json_t *json, FILE *out), const json_t *json, FILE *out);

/* Formats like printf(), and prints the result like markup_text(). */
__attribute__((format(printf, 2, 3))) void markup_format(FILE *out, const char *format, ...);
