/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Benchmarks in a source text: the lines of a benchmark, from the comment before BENCH() to the closing brace; the line where it begins;
 * and lines by number, from 1. Pure.
 *
 * Comments, literals and C++ raw strings are skipped, so that braces in them do not count. Braces in both branches of an #if count; if they
 * do not balance, the span may end too early or at the end of the text.
 */

#include <stddef.h>

#define SOURCE_NAME_MAX 64u

typedef struct SourceSpan {
        size_t first; /* line */
        size_t last;
} SourceSpan;

enum {
        _SOURCE_SPAN_E_SUCCESS,

        SOURCE_SPAN_E_OUTSIDE, /* the text has no such line */
};

/* Finds the definition that begins at @line of @text. Returns 0 or E_OUTSIDE. */
int source_span_find(const char *text, size_t line, SourceSpan *ret_span);

/* The beginning of @line within @text, and its length without the line end; NULL: no such line. */
const char *source_line(const char *text, size_t line, size_t *ret_length);

/* The number of lines. */
size_t source_count_lines(const char *text);

/* The line of the benchmark @name (NULL: the first) in @text, by a BENCH( at the beginning of a line; 0: none. */
size_t source_find_benchmark(const char *text, const char *name);

/* Copies the name of the @index-th benchmark of @text. Returns its line, 0 past the last. */
size_t source_benchmark_at(const char *text, size_t index, char ret_name[static SOURCE_NAME_MAX]);
