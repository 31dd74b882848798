/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The libraries of a module that runs without a launcher (runner/here.h), as links in a directory that the loader searches, each under the
 * name that other files need.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/block.h"
#include "runner/load/start.h"

typedef struct HereLibraries {
        const char *paths[RUNNER_LIBRARIES_MAX]; /* absolute */
        char names[RUNNER_LIBRARIES_MAX][RUNNER_LIBRARY_NAME_MAX];
        char links[RUNNER_LIBRARIES_MAX][RUNNER_LIBRARY_NAME_MAX]; /* names that are valid in the loader's list */
        StartLibrary rows[RUNNER_LIBRARIES_MAX];
        size_t n;
        size_t n_preloaded; /* the first ones of these */
} HereLibraries;

/* Adds the library at @path, which must outlive @libraries. False: too many, or one to @preload after others. */
bool here_libraries_add(HereLibraries *libraries, const char *path, bool preload);

/* Links all of them in @directory. Returns 0 or a negative errno. */
int here_libraries_link(const HereLibraries *libraries, const char *directory);

/*
 * Call it after the second start, while @directory exists: true if all preloaded libraries are there; else an end in
 * @head.
 */
bool here_libraries_check(const HereLibraries *libraries, const char *directory, BlockHead *head);
