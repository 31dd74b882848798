/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Where the other programs are: in a build tree in the neighbouring folder, installed in the directory of this one.
 */

enum {
        _PROGRAMS_E_SUCCESS,

        PROGRAMS_E_MISSING, /* neither there nor there */
};

/* Finds the program @name of the build folder @folder; the path is the caller's. Returns 0, E_MISSING, or a negative errno. */
int programs_find(const char *folder, const char *name, char **ret_path);

/* The same of a library, which need not be executable. */
int programs_find_library(const char *folder, const char *name, char **ret_path);
