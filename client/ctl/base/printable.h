/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Removes control characters from a module's or daemon's text before it reaches a terminal: they could move the cursor,
 * change colours, or make the terminal answer.
 */

typedef struct json_t json_t;

/* Replaces control characters in the UTF-8 @text: white space by a space, others by question marks. */
void printable_text(char *text);

/* The same, but keeps line ends. */
void printable_lines(char *text);

/* The same, but keeps line ends and tabs. */
void printable_code(char *text);

/*
 * Makes all strings of @json printable; "output" keeps its line ends, and "source" its tabs, too. The result shares all unchanged parts
 * with @json, so neither may be modified in place. A new reference in @ret_json. Returns 0 or a negative errno.
 */
int printable_json(const json_t *json, json_t **ret_json);
