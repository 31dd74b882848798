/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Writes the sources of built-in areas to a directory, to be read, changed and built: each source is a separate module; shared headers, a
 * Makefile and a README are added. Existing files are kept; a differing one is named.
 */

#include <stddef.h>

typedef struct BuiltIn BuiltIn;
typedef struct SettingsWords SettingsWords;

#define UNPACK_DIRECTORY "suites.src" /* where none is named */

/*
 * Writes the sources of @areas (empty: all) to @directory, which is created if missing. @ret_n_written counts the new files. Returns 0, or
 * an exit code after printing the error.
 */
int unpack_areas(const BuiltIn *built_in, const char *directory, const SettingsWords *areas, size_t *ret_n_written);
