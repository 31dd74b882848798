/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The programs that benchctl starts, the module of the built-in benchmarks, and the header: those of the build tree that it is in itself, if nobody
 * else could have put them there, or those installed.
 */

#include <limits.h>

enum {
        _PROGRAM_E_SUCCESS,

        PROGRAM_E_MISSING,
};

typedef enum Program {
        PROGRAM_LAUNCH,
        PROGRAM_RUNNER,
        PROGRAM_SUITES, /* the built-in module */
        PROGRAM_HEADER, /* benchd/bench.h */
} Program;

/* Writes the path of @program, and says why where that of the build tree is not taken. Returns 0, E_MISSING, or a negative errno. */
int program_find(Program program, char ret_path[static PATH_MAX]);

/* Its name, as people type it. */
const char *program_name(Program program);
