/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The dynamic loader, asked for files by their descriptors and for libraries by name. The loader knows a file that is opened by a
 * descriptor under its path in /proc, and under its SONAME if it has one. The name by which other files need it may be a third one.
 *
 * A library answers to that name only while files of its own side are loaded: the loader looks a DT_NEEDED up among the l_name of all
 * loaded objects first, so l_name is that name for the moment, and the path again afterwards. No byte of a string table is changed,
 * whatever linker made it, and the symbol versions of a needed file are found in the same way. In a comparison the copies have no
 * SONAME (unique.h). Two versions of a library then live in one process, each bound to its own side.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/sample-block.h"

struct link_map;

/* A side's module and libraries as descriptors. */
typedef struct ModuleFiles {
        int fd;
        int libraries_fd; /* and the following, n_libraries */
        uint32_t n_libraries;
        const char (*library_names)[RUNNER_LIBRARY_NAME_MAX];
} ModuleFiles;

typedef struct Library {
        const char *name; /* by which its side's files need it */
        int fd;
        char *path; /* the loader's own name for it */
        struct link_map *map;
} Library;

/* The libraries of one side, once they are loaded. */
typedef struct Libraries {
        Library rows[RUNNER_LIBRARIES_MAX];
        uint32_t n;
} Libraries;

/* Loads the file in @fd. Constructors run. NULL, with @end_on_failure and the loader's words in @head, where that does not work. */
void *loader_open(int fd, RunnerEnd end_on_failure, BlockHead *head);

/* The same for the file at @path. The loader searches what it needs by itself; libraries beside the file are the last resort. */
void *loader_open_file(const char *path, RunnerEnd end_on_failure, BlockHead *head);

/*
 * Loads the libraries of @files in order; a library finds those before it by their names. False, with an end in @head, where that does
 * not work, or where a name already belongs to another library of the process.
 */
bool loader_open_libraries(const ModuleFiles *files, BlockHead *head, Libraries *ret_libraries);

/* Loads a file that needs @libraries, as loader_open() does. */
void *loader_open_with(int fd, const Libraries *libraries, RunnerEnd end_on_failure, BlockHead *head);

/*
 * Checks that no library of the system, which both sides share, needs a name that the two sides bring differently: it is bound to one
 * of them, whichever that is. False, with an end in @head, if there is one.
 */
bool loader_check_sides(const Libraries sides[static RUNNER_SIDES_MAX], BlockHead *head);
