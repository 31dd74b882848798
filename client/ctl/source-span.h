/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The lines of a benchmark in the text of its source, from the comment before BENCH() to the closing brace; and lines of a text by
 * their number, from 1. Pure.
 *
 * Comments, literals and C++'s raw strings are skipped, so that a brace within them closes nothing. Both branches of an #if count;
 * where their braces do not match, the span may end too early or at the end of the text.
 */

#include <stddef.h>

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
