/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The help texts, from the tables of verbs and options, in 80 columns.
 */

#include <stdio.h>

typedef struct Verb Verb;

/* Prints the help text of @verb, or of the program if @verb is NULL. */
void help_print(const Verb *verb, FILE *out);
