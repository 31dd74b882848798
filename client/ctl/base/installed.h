/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The programs that benchctl starts, the built-in module, and the header: from the build tree that contains benchctl, if no other user
 * could have put them there, else the installed ones.
 */

#include <limits.h>

enum {
        _INSTALLED_E_SUCCESS,

        INSTALLED_E_MISSING,
};

typedef enum InstalledFile {
        INSTALLED_LAUNCH,
        INSTALLED_RUNNER,
        INSTALLED_SUITES,         /* the built-in module */
        INSTALLED_EXEC,           /* the module of whole commands */
        INSTALLED_EXEC_REFERENCE, /* ... of the other side of a comparison */
        INSTALLED_HEADER,         /* benchd/bench.h */
} InstalledFile;

/* Writes the path of @program, and prints why if it rejects the one in the build tree. Returns 0, E_MISSING, or a negative errno. */
int installed_find(InstalledFile program, char ret_path[static PATH_MAX]);

/* The name of @program, as users type it. */
const char *installed_name(InstalledFile program);
