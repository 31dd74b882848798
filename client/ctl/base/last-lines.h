/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The last lines of what a program printed, with a line before them that counts those left out.
 */

#include <stdio.h>

/* The first of the last @n_most lines of @output, and the number of those before; empty lines at its end do not count. */
const char *last_lines_begin(const char *output, size_t n_most, size_t *ret_n_before);

typedef int (*LastLine)(void *where, const char *line);

/* Gives the last @n_most lines of @output to @take, one after the other, each behind @start. Returns 0 or a negative errno. */
int last_lines_each(const char *output, size_t n_most, const char *start, LastLine take, void *where);

/* Prints them. */
void last_lines_print(const char *output, size_t n_most, const char *start, FILE *out);
