/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A command that no shell reads, split into words: blanks separate them, ' and " quote, and \ takes the next character as it is. Nothing is
 * expanded. And its words joined for a reader. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct ExecWords {
        char **words; /* ended by NULL; owned */
        size_t n;
} ExecWords;

/* Splits @text. Returns 0, a negative errno, or the quote that is not closed: ', " or \. */
int exec_words_split(const char *text, ExecWords *ret_words);

/* Joins @words by blanks, quoted where a shell needs it, so that it reads the same words again. The caller frees it; NULL: no memory. */
char *exec_words_join(const char *const *words, size_t n);

void exec_words_clear(ExecWords *words);
