/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files that make one module: a compiled one, or sources, objects and archives, which are compiled and linked. In a word they stand
 * with commas between. A file that exists is one part, whatever its name.
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

/* True if all parts of @word, which need not exist, are named as what is compiled or linked: sources, objects and archives. */
bool module_parts_are_built(const char *word);

/* The name of the module: its parts with commas between, as many as fit into one of the protocol's. It is the caller's; NULL: memory ran out. */
char *module_parts_name(const ModuleParts *parts);
