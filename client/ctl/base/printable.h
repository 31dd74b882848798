/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text of a module or a daemon on its way to a terminal: without control characters, which could move the cursor,
 * change colours, or make the terminal answer.
 */

typedef struct json_t json_t;

/* Replaces control characters in the UTF-8 @text: white space by a space, others by question marks. */
void printable_text(char *text);

/* The same, but line ends stay. */
void printable_lines(char *text);

/* The same, but line ends and tabs stay. */
void printable_code(char *text);

/*
 * Makes of @json one with all strings printable; those called "output" keep their line ends, "source" its tabs too. It shares with @json
 * whatever does not change, mostly all, so neither may be changed in place. A new reference in @ret_json. Returns 0 or a negative errno.
 */
int printable_json(const json_t *json, json_t **ret_json);
