/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Names of rows for programs: "area/benchmark/n=8", as filters have them.
 */

#include <stdio.h>

typedef struct json_t json_t;

/* Prints the path of @row, a benchmark or a comparison, as a filter matches it. */
void benchmark_path_print(const json_t *row, FILE *out);

/* ... with "/threads=2" behind it where @row has several, so that no two rows of a run have the same. Returns NULL if memory ran out. */
char *benchmark_path_whole(const json_t *row);
