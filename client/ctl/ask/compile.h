/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Source code in the place of a module: compiled by the user's compiler into the user's own cache. Several sources are compiled one by
 * one, each by the compiler of its language, and linked to one module with the objects and archives beside them.
 *
 * All is compiled each time, because a header may have changed: a benchmark of the usual size takes less than a tenth of a second. The
 * file that it makes takes its name at once and when it is complete, so two commands at a time do not meet.
 */

#include <stdbool.h>

typedef struct ModuleParts ModuleParts;

/*
 * True if @path is named as source code in C, C++ or assembler, as an object or an archive, and does not hold a compiled module all the
 * same.
 */
bool compile_takes(const char *path);

/* True if that is source code in C or C++. */
bool compile_is_source(const char *path);

/*
 * Makes the module of @parts, of each of which compile_takes() is true, and shows the commands on stderr. @name stands for all of them in
 * words. The caller frees @ret_module, the path of the module. Returns 0, or, having said what is wrong, an exit code.
 */
int compile_module(const ModuleParts *parts, const char *name, char **ret_module);
