/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The completion of a command line for a shell: "benchctl --complete WORD..." prints the words that may stand in the place of the last,
 * which is only begun. The scripts in completion/ ask it and know no command or option themselves.
 *
 * One candidate a line, with its description behind a tab; one that ends with "=" wants its value without a space. A line ":files" or
 * ":modules" says that file names may stand there too. It asks the daemon for jobs and for benchmarks, but waits for it a second only, and
 * prints no complaint: whoever presses a key wants no words in between.
 */

#include <stdio.h>

/* Prints to @out what may stand in the place of the last of @words, which end with NULL, behind the program's name. */
void complete(const char *const *words, FILE *out);
