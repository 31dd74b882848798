/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Glossary: the terms of tables and pages that a reader without a manual may not know, one line each. The notes of rows are explained by the
 * table of warnings (words/warning.h). Pure.
 */

#include <stddef.h>

typedef struct GlossaryTerm {
        const char *word;
        const char *meaning; /* without a full stop */
} GlossaryTerm;

/* The terms by index; NULL past the last. */
const GlossaryTerm *glossary_term(size_t index);

/* The meaning of @word; NULL: it has none. */
const char *glossary_find(const char *word);
