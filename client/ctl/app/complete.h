/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Shell completion: "benchctl --complete WORD..." prints the candidates for the last, incomplete WORD. The scripts in completion/ call it
 * and know no command or option themselves.
 *
 * One candidate per line, with its description after a tab; a candidate that ends with "=" takes its value without a space. A line ":files"
 * or ":modules" says that file names are candidates too. It asks the daemon for jobs and benchmarks, but waits at most a second, and prints
 * no error: a message would garble the line that the user is typing.
 */

#include <stdio.h>

/* Prints to @out the candidates for the last of @words, which follow the program's name and end with NULL. */
void complete(const char *const *words, FILE *out);
