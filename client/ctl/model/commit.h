/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commit of a module as text: 12 digits of git's, the whole id of others, and "-dirty" where files differed from it. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

#define COMMIT_DIGITS_SHOWN 12

/* Prints the @commit of a module, without its subject. Returns false, and prints nothing, if it is missing. */
bool commit_print(const json_t *commit, FILE *out);

/* "module.so", or "module.so at 1a2b3c4d5e6f" with a commit: the @module of a result; the caller frees it. NULL if memory ran out. */
char *commit_module_words(const json_t *module);
