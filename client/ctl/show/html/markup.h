/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text in HTML. Names, titles and output come from strangers: whatever is not benchctl's own markup is printed by these functions only.
 */

#include <stdio.h>

/* Prints @text, NULL as nothing, with an entity for each character that means something in HTML, in an attribute too. */
void markup_text(const char *text, FILE *out);

/*
 * Opens a stream whose text goes to @out as markup_text() prints it; fclose() ends it, and @out is left alone meanwhile. Returns 0 or a
 * negative errno.
 */
int markup_open(FILE *out, FILE **ret_text);

/* Prints what @print prints of @json as markup_text() does; nothing if memory ran out. */
typedef struct json_t json_t;
void markup_print(void (*print)(const json_t *json, FILE *out), const json_t *json, FILE *out);

/* Formats as printf() does, and prints that as markup_text() does. */
__attribute__((format(printf, 2, 3))) void markup_format(FILE *out, const char *format, ...);
