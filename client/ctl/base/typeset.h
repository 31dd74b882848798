/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text within the width of a terminal. A code point takes one column, since wide characters are never printed here.
 */

#include <stddef.h>
#include <stdio.h>

size_t typeset_width(const char *text);

/* Cuts @text to at most @width columns, between two characters. */
void typeset_cut(char *text, size_t width);

/* Prints @text in at most @width columns: "…" stands for the middle of a longer one. Returns the columns that it took. */
size_t typeset_print(const char *text, size_t width, FILE *out);

/*
 * Prints @text, which begins at @column, with lines broken between words at @width; those that follow begin at @indent. A word that is
 * too long for a line is broken. @width 0 breaks nothing. No line's end follows the last.
 */
void typeset_wrap(const char *text, size_t column, size_t indent, size_t width, FILE *out);

/* Replaces the characters outside ASCII that benchctl prints, each by one, and all others by question marks. */
void typeset_to_ascii(char *text);
