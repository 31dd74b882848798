/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Search for a library in the way of the dynamic loader. The system's libraries are in a default directory, or in one listed in
 * /etc/ld.so.conf: the runner's loader finds them itself. All other libraries must be sent along.
 *
 * The order is the loader's: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the system; then, beyond the loader's rules, the directory of the
 * module, where libraries built with it usually are.
 */

#include "util/cleanup.h"

typedef struct LibrarySearch LibrarySearch;

enum {
        _LIBRARY_SEARCH_E_SUCCESS,

        LIBRARY_SEARCH_E_SYSTEM,  /* nothing to send */
        LIBRARY_SEARCH_E_MISSING, /* not found anywhere */
};

/* The file that needs a library. Every pointer but @origin may be NULL. */
typedef struct LibraryAsker {
        const char *origin; /* the directory of that file: $ORIGIN */
        const char *rpath;  /* its DT_RPATH and its parents', already expanded */
        const char *runpath;
        const char *beside; /* the module's directory */
} LibraryAsker;

/*
 * Reads the system's directories below @root ("" for the machine's own). @environment is LD_LIBRARY_PATH or NULL. Returns
 * 0 or a negative errno.
 */
int library_search_new(const char *root, const char *environment, LibrarySearch **ret_search);
LibrarySearch *library_search_free(LibrarySearch *search);
DEFINE_CLEANUP(LibrarySearch *, library_search_free)

/* Finds @name for @asker. Returns 0 with the path of a file, E_SYSTEM, E_MISSING, or a negative errno. */
int library_search_find(const LibrarySearch *search, const char *name, const LibraryAsker *asker, char **ret_path);

/*
 * Finds @name to preload it, without an asker; also finds the system's libraries. Returns 0 with the path of a file, E_MISSING, or a
 * negative errno.
 */
int library_search_any(const LibrarySearch *search, const char *name, char **ret_path);

/* Replaces $ORIGIN and ${ORIGIN} in the path list @paths. Returns 0 or a negative errno. */
int library_paths_expand(const char *paths, const char *origin, char **ret_paths);

/* The directory part of @path, "." if it has none. Returns 0 or a negative errno. */
int library_directory(const char *path, char **ret_directory);
