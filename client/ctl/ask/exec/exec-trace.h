/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files that a command and its processes open, found by a run that is traced: a seccomp filter stops them in the system calls that open
 * files only, so that no right is needed and the rest runs at full speed. The interpreter, the libraries and the program itself count.
 */

#include <stddef.h>

typedef struct ExecCommand ExecCommand;
typedef struct ExecFiles ExecFiles;

/* {} is empty. */
typedef struct ExecPaths {
        char *text; /* of all paths, each ended by a zero; owned */
        const char **paths;
        size_t n;
} ExecPaths;

/*
 * Runs @command once, and ends it with all that it left behind. @ret_paths are the regular files on disk that were opened, each once, by
 * absolute path. Returns 0 or a negative errno: -EPERM where nothing may be traced, -ECANCELED if the command failed.
 */
int exec_trace(const ExecCommand *command, const ExecFiles *files, char *const *environment, ExecPaths *ret_paths);
void exec_paths_clear(ExecPaths *paths);
