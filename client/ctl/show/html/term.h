/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Terms of a page: each is an <abbr>, and the glossary at the end lists those that the page has. The meaning is its title in tables; the
 * many terms of articles get theirs from the glossary, by the page's script.
 */

#include <stdio.h>

/* Prints @text (NULL: nothing) like markup_text(), as an abbreviation if the glossary has its meaning. */
void term_print(const char *text, FILE *out);

/* The same for a title of a fact on the machine. */
void term_print_machine(const char *text, FILE *out);

/* Prints @text like term_print() without the title. */
void term_print_bare(const char *text, FILE *out);

/* Prints the glossary of @page, markup: the terms that it has. Returns 0 or a negative errno. */
int term_print_glossary(const char *page, FILE *out);
