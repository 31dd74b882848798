/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Suggestion for an unknown word: the names that begin with it, and the name that was probably meant. Pure.
 */

#include <stddef.h>

#include "util/nearest.h"

#define SUGGESTION_NAMES_MAX 128u

typedef struct Suggestion {
        char word[NEAREST_WORD_MAX]; /* as typed */
        const char *prefix;          /* before each name: "--" for options */
        Nearest nearest;
        size_t n; /* number of names that begin with the word */
        char names[SUGGESTION_NAMES_MAX];
} Suggestion;

/* Starts a suggestion for the @n bytes at @word. */
void suggestion_init(Suggestion *suggestion, const char *word, size_t n, const char *prefix);
void suggestion_offer(Suggestion *suggestion, const char *name);
