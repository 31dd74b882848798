/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The output of a command that is shown only if it fails: a file in memory which keeps its end, however much is written.
 */

#include <stddef.h>

/* Makes an empty one, written by appending. Returns its descriptor or a negative errno. */
int exec_output_new(void);

/* Empties it. */
void exec_output_clear(int fd);

/* Gives back the memory of all but its end; another process may write meanwhile. */
void exec_output_trim(int fd);

/* Writes its last lines, of one to five, to @lines of @n bytes, joined by " | " and without control characters; empty where there are none. */
void exec_output_last_lines(int fd, char *lines, size_t n);
