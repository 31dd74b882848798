/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Source code in the place of a module: compiled by the user's compiler into the user's own cache.
 *
 * It is compiled each time, because a header may have changed: a benchmark of the usual size takes less than a tenth of a second. The
 * file that it makes takes its name at once and when it is complete, so two commands at a time do not meet.
 */

#include <stdbool.h>

typedef struct Settings Settings;

/* True if @path is named as source code in C or C++, and does not hold a compiled module all the same. */
bool compile_takes(const char *path);

/*
 * Compiles the source at @path, and shows the command on stderr. The caller frees @ret_module, the path of the module. Returns 0, or,
 * having said what is wrong, an exit code.
 */
int compile_module(const char *path, char **ret_module);
