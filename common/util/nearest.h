/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Nearest name to a mistyped word, for "Did you mean ...?": by the number of characters that were inserted, left out,
 * replaced, or swapped with their neighbour. Letters of either case are alike. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#define NEAREST_WORD_MAX 128u /* bytes; a longer word or name is near to nothing */

/* Counts the edits that make @word out of @name, or out of a beginning of @name. SIZE_MAX: one of them is too long. */
size_t nearest_distance(const char *word, const char *name);
size_t nearest_distance_to_start(const char *word, const char *name);

/* True if @distance is a likely slip in @word: one edit of four characters, two of five to seven, and so on. */
bool nearest_is_likely(const char *word, size_t distance);

typedef struct Nearest {
        const char *word;
        const char *name; /* the nearest name offered; NULL: none is likely */
        size_t distance;
} Nearest;

/* Notes @name (borrowed) if it is likely and nearer than all names offered before. */
void nearest_offer(Nearest *nearest, const char *name);
