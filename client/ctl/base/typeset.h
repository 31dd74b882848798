/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text within the width of a terminal. A code point counts as one column, since wide characters are never printed here.
 */

#include <stddef.h>
#include <stdio.h>

size_t typeset_width(const char *text);

/* Cuts @text to at most @width columns, between two characters. */
void typeset_cut(char *text, size_t width);

/* Prints @text in at most @width columns, with "…" for the middle of a longer text. Returns the columns used. */
size_t typeset_print(const char *text, size_t width, FILE *out);

/*
 * Prints @text from @column on, broken between words at @width; further lines begin at @indent. A word longer than a line is broken. @width
 * 0: no breaks. Prints no line end after the last line.
 */
void typeset_wrap(const char *text, size_t column, size_t indent, size_t width, FILE *out);

/*
 * Prints @name and @words in @width columns, for which the middle of @name gives way, down to twelve columns; a line that is still too long is
 * broken as by typeset_wrap(). Prints no line end after it.
 */
void typeset_headed(const char *name, const char *words, size_t width, FILE *out);

/*
 * Replaces the non-ASCII characters that benchctl itself prints by an ASCII character each, and all others by question
 * marks.
 */
void typeset_to_ascii(char *text);
