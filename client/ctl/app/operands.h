/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The operands of a verb, by the text that its help shows: "[AREA|MODULE.so|MODULE.c...] [-- FILTER...]".
 *
 * Terms stand one behind the other. A term is a word of one of the kinds that | joins, and may be left out where it stands in brackets;
 * " | " parts two ways to call the verb. "..." behind the last kind of a term says that words of all its kinds may follow, behind another
 * that words of this one may. Words behind "--" are those of the term behind it; where there is none, they are its filters. An option
 * may be named among the kinds; it stands where a word would.
 */

#include <stdbool.h>
#include <stddef.h>

/* The name of a kind, a part of the grammar's text. */
typedef struct Operand {
        const char *name;
        size_t n;
} Operand;

/* The words typed: @n before "--", @n_behind behind it. */
typedef struct OperandWords {
        const char *option; /* one that the grammar names; NULL: none */
        const char *const *words;
        size_t n;
        const char *const *behind;
        size_t n_behind;
} OperandWords;

bool operand_is(const Operand *operand, const char *name);

/* True if the words are operands by @grammar. @ret_last is the kind of the last one, and has no name where there are none. */
bool operands_fit(const char *grammar, const OperandWords *words, Operand *ret_last);

/* Calls @visit for each kind of word that may follow the words: behind "--" if @is_behind. */
void operands_next(const char *grammar, const OperandWords *words, bool is_behind,
                void (*visit)(const Operand *operand, void *context), void *context);
