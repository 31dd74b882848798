/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Rows across results: the same benchmark with the same arguments, and its name for programs, "area/benchmark/n=8", as filters have it.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* True if @a and @b have the same area, name, arguments and threads. */
bool benchmark_is_same(const json_t *a, const json_t *b);

/* Prints the path of @row, a benchmark or a comparison, as a filter matches it. */
void benchmark_path_print(const json_t *row, FILE *out);

/* ... with "/threads=2" behind it where @row has several, so that no two rows of a run have the same. Returns NULL if memory ran out. */
char *benchmark_path_whole(const json_t *row);
