/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Help texts, made from the tables of verbs and options.
 */

#include <stdio.h>

typedef struct Verb Verb;

/* The help text of @verb, or of the program where it is NULL. */
void help_print(const Verb *verb, FILE *out);
