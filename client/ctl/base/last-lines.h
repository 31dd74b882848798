/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The last lines of a program's output, after a line with the number of lines left out.
 */

#include <stdio.h>

/* The first of the last @n_most lines of @output, and the number of lines before it; empty lines at the end do not count. */
const char *last_lines_begin(const char *output, size_t n_most, size_t *ret_n_before);

typedef int (*LastLine)(void *where, const char *line);

/* Passes the last @n_most lines of @output to @take, one at a time, each prefixed with @start. Returns 0 or a negative errno. */
int last_lines_each(const char *output, size_t n_most, const char *start, LastLine take, void *where);

/* Prints these lines. */
void last_lines_print(const char *output, size_t n_most, const char *start, FILE *out);
