/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files of one module: a compiled module, or sources, objects and archives to compile and link. A word can name several parts,
 * separated by commas; but an existing file of that full name is one part.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct ModuleParts {
        char **paths;
        size_t n;
} ModuleParts;

/* Adds the parts that @word names. Returns 0 or a negative errno. */
int module_parts_add(ModuleParts *parts, const char *word);
void module_parts_clear(ModuleParts *parts);

/* True if all parts of @word, which need not exist, have the names of sources, objects or archives. */
bool module_parts_are_built(const char *word);

/*
 * The name of the module: its parts separated by commas, as many as fit a name of the protocol. The caller frees it; NULL: memory ran out.
 */
char *module_parts_name(const ModuleParts *parts);
