/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The libraries that go along with a module that runs without a launcher (runner/here.h), as links in a directory that the loader searches,
 * each by the name that other files need it by.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/block.h"
#include "runner/load/start.h"

typedef struct HereLibraries {
        const char *paths[RUNNER_LIBRARIES_MAX]; /* absolute */
        char names[RUNNER_LIBRARIES_MAX][RUNNER_LIBRARY_NAME_MAX];
        char links[RUNNER_LIBRARIES_MAX][RUNNER_LIBRARY_NAME_MAX]; /* as the loader's list can name them */
        StartLibrary rows[RUNNER_LIBRARIES_MAX];
        size_t n;
        size_t n_preloaded; /* of these, the first ones */
} HereLibraries;

/* Adds the library at @path, which must outlive @libraries. False: one too many, or one to @preload behind others. */
bool here_libraries_add(HereLibraries *libraries, const char *path, bool preload);

/* Links all of them in @directory. Returns 0 or a negative errno. */
int here_libraries_link(const HereLibraries *libraries, const char *directory);

/* After the second start, while @directory is there: true if all that are to be preloaded are; else an end in @head. */
bool here_libraries_check(const HereLibraries *libraries, const char *directory, BlockHead *head);
