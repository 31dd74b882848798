/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Benchmarks in the text of a source: the lines of one, from the comment before BENCH() to the closing brace; the line at which one
 * begins; and lines by their number, from 1. Pure.
 *
 * Comments, literals and C++'s raw strings are skipped, so that a brace within them closes nothing. Both branches of an #if count;
 * where their braces do not match, the span may end too early or at the end of the text.
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

/* The beginning of @line within @text; NULL: there is no such line. Its length is without the line's end. */
const char *source_line(const char *text, size_t line, size_t *ret_length);

/* The number of lines. */
size_t source_count_lines(const char *text);

/* The line of the benchmark @name in @text, by its BENCH( at the beginning of a line; NULL: of the first. 0: there is none. */
size_t source_find_benchmark(const char *text, const char *name);

/* Copies the name of the @index-th benchmark of @text. Returns its line, 0 past the last. */
size_t source_benchmark_at(const char *text, size_t index, char ret_name[static SOURCE_NAME_MAX]);
