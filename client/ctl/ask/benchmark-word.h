/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Words by which a benchmark is named on the command line: FILE#BENCHMARK, and AREA/NAME with arguments behind, as rows and filters have them.
 */

#include <limits.h>
#include <stddef.h>

#define BENCHMARK_WORD_NAME_MAX 64u

/*
 * Splits @word into a file, or a job, and the benchmark behind its last '#', NULL if there is none. A file that exists under all of @word
 * is one.
 */
const char *benchmark_word_split(const char *word, char ret_path[static PATH_MAX]);

/* Returns the bytes of the area that "area/name" or "area/name/n=8" begins with; 0: "name" or "name/n=8". */
size_t benchmark_word_area(const char *word);

/* Copies the name of "area/name/n=8", "name/n=8", "area/name" or "name". */
void benchmark_word_name(const char *word, char ret_name[static BENCHMARK_WORD_NAME_MAX]);
