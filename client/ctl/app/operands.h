/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The operands of a verb, by the text that its help shows: "[AREA|MODULE.so|MODULE.c...] [-- FILTER...]".
 *
 * The grammar is a sequence of terms. A term is one word, of one of its kinds, which | joins; a term in brackets is optional; " | "
 * separates two ways to call the verb. "..." after the last kind of a term allows more words of all its kinds; after another kind, more
 * words of that kind. Words after "--" match a term after "--" in the grammar, or the kind FILTER anywhere in it. A kind may also be an
 * option, which takes the place of a word.
 */

#include <stdbool.h>
#include <stddef.h>

/* The name of a kind: a part of the grammar's text. */
typedef struct Operand {
        const char *name;
        size_t n;
} Operand;

/* The typed words: @n before "--", @n_behind after it. */
typedef struct OperandWords {
        const char *option; /* an option that the grammar names; NULL: none */
        const char *const *words;
        size_t n;
        const char *const *behind;
        size_t n_behind;
} OperandWords;

bool operand_is(const Operand *operand, const char *name);

/* True if the words match @grammar. @ret_last is the kind of the last word; its name is NULL if there are no words. */
bool operands_fit(const char *grammar, const OperandWords *words, Operand *ret_last);

/* Calls @visit for each kind that may follow the words: after "--" if @is_behind. */
void operands_next(const char *grammar, const OperandWords *words, bool is_behind,
                void (*visit)(const Operand *operand, void *context), void *context);
