/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Benchmarks in source code, found by their BENCH( at the beginning of a line. One that a macro of the source's own defines is not
 * seen. Pure.
 */

#include <stddef.h>

#define BENCHMARK_NAME_MAX 64u

/* Finds the line, from 1, of the benchmark @name in @text; NULL: of the first. Returns 0 if there is none. */
size_t benchmark_line(const char *text, const char *name);

/* Copies the name of the @index-th benchmark of @text. Returns its line, 0 past the last. */
size_t benchmark_line_at(const char *text, size_t index, char ret_name[static BENCHMARK_NAME_MAX]);
