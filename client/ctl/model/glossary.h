/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Glossary: the terms of tables and pages that a reader without a manual may not know, one line each. The notes of rows are explained by the
 * table of warnings (words/warning.h). Pure.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct GlossaryTerm {
        const char *word;
        const char *meaning; /* without a full stop */
        bool of_machine; /* the word as the title of a fact on the machine; otherwise of a figure, a verdict or a note */
} GlossaryTerm;

/* The terms by index; NULL past the last. */
const GlossaryTerm *glossary_term(size_t index);

/* The meaning of @word, @of_machine or not; NULL: it has none. */
const char *glossary_find(const char *word, bool of_machine);
