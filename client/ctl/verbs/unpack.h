/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The sources of built-in areas, written into a directory where they can be read, changed and built: each source a module of its
 * own, with the headers that they share, a Makefile and a README. A file that is there already is kept; one that differs is named.
 */

#include <stddef.h>

typedef struct BuiltIn BuiltIn;
typedef struct SettingsWords SettingsWords;

#define UNPACK_DIRECTORY "suites.src" /* where none is named */

/*
 * Writes the sources of @areas, or of all where none is named, into @directory, which is made if need be. Counts the files that are
 * new in @ret_n_written. Returns 0, or, having said what is wrong, an exit code.
 */
int unpack_areas(const BuiltIn *built_in, const char *directory, const SettingsWords *areas, size_t *ret_n_written);
