/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The programs that benchctl starts, the module of the built-in benchmarks, and the header: those of the build tree that it is in itself, if nobody
 * else could have put them there, or those installed.
 */

#include <limits.h>

enum {
        _INSTALLED_E_SUCCESS,

        INSTALLED_E_MISSING,
};

typedef enum InstalledFile {
        INSTALLED_LAUNCH,
        INSTALLED_RUNNER,
        INSTALLED_SUITES, /* the built-in module */
        INSTALLED_HEADER, /* benchd/bench.h */
} InstalledFile;

/* Writes the path of @program, and says why where that of the build tree is not taken. Returns 0, E_MISSING, or a negative errno. */
int installed_find(InstalledFile program, char ret_path[static PATH_MAX]);

/* Its name, as people type it. */
const char *installed_name(InstalledFile program);
