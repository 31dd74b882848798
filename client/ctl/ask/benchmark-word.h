/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Words that name a benchmark on the command line: FILE#BENCHMARK, and AREA/NAME followed by arguments, as in rows and filters.
 */

#include <limits.h>
#include <stddef.h>

#define BENCHMARK_WORD_NAME_MAX 64u

/* Splits @word at its last '#' into a file or job, and the benchmark (NULL: none). If a file named @word exists, it is taken whole. */
const char *benchmark_word_split(const char *word, char ret_path[static PATH_MAX]);

/* Returns the length of the area in "area/name" or "area/name/n=8"; 0 for "name" or "name/n=8". */
size_t benchmark_word_area(const char *word);

/* Copies the name from "area/name/n=8", "name/n=8", "area/name" or "name". */
void benchmark_word_name(const char *word, char ret_name[static BENCHMARK_WORD_NAME_MAX]);
