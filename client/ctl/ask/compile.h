/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Source code given as a module: compiled by the user's compiler into the user's cache. Several sources are compiled one by one, each by
 * the compiler of its language, and linked with any given objects and archives to one module.
 *
 * Everything is compiled each time, because a header may have changed: a typical benchmark takes less than a tenth of a second. The result
 * is renamed into place when it is complete, so concurrent commands do not disturb each other.
 */

#include <stdbool.h>

typedef struct ModuleParts ModuleParts;

/*
 * True if the name of @path is that of C, C++ or assembler source, an object or an archive, and the file is not a compiled module in spite
 * of it.
 */
bool compile_takes(const char *path);

/* True if @path is C or C++ source. */
bool compile_is_source(const char *path);

/*
 * Builds the module from @parts, which must all pass compile_takes(), and shows the commands on stderr. @name is the module's name in
 * messages. The caller frees @ret_module, the module's path. Returns 0, or an exit code after printing the error.
 */
int compile_module(const ModuleParts *parts, const char *name, char **ret_module);
