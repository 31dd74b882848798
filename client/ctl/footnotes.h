/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Sentences below a table, by number: each is printed once, however many rows it is about.
 */

#include <stddef.h>
#include <stdio.h>

#define FOOTNOTES_MAX 64u

typedef struct Footnotes {
        const char *texts[FOOTNOTES_MAX]; /* borrowed */
        size_t n;
} Footnotes;

/* The number of @text, from 1; 0 if there are too many. */
size_t footnotes_add(Footnotes *footnotes, const char *text);

void footnotes_print(const Footnotes *footnotes, FILE *out);
