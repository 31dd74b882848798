/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Suggestion for a word that names nothing: the names that begin with it, of which there are several or none, and the one that was
 * probably meant. Pure.
 */

#include <stddef.h>

#include "util/nearest.h"

#define SUGGESTION_NAMES_MAX 128u

typedef struct Suggestion {
        char word[NEAREST_WORD_MAX]; /* as it was typed */
        const char *prefix;          /* before each name: "--" of options */
        Nearest nearest;
        size_t n; /* of names that begin with the word */
        char names[SUGGESTION_NAMES_MAX];
} Suggestion;

/* Begins with @n bytes of @word. */
void suggestion_init(Suggestion *suggestion, const char *word, size_t n, const char *prefix);
void suggestion_offer(Suggestion *suggestion, const char *name);
