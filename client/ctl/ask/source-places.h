/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The directories below which a file named by debug information may be opened. The author of the module chose that name, and the text is
 * printed: so a module can only refer to files beside it, directly above it, in the git work tree around it, in the system's headers, and
 * below directories that the user named. Hidden files (whose names begin with a dot) are excluded, unless the user named them.
 */

#include <stdbool.h>
#include <stddef.h>

#include "util/cleanup.h"

typedef struct SourcePlaces SourcePlaces;

enum {
        _SOURCE_PLACES_E_SUCCESS,

        SOURCE_PLACES_E_MISSING, /* not a readable regular file */
        SOURCE_PLACES_E_OUTSIDE, /* the file, with links resolved, is not below any place */
};

int source_places_new(SourcePlaces **ret_places);
SourcePlaces *source_places_free(SourcePlaces *places);
DEFINE_CLEANUP(SourcePlaces *, source_places_free)

/* Adds the directory @path, named by the user. Returns 0, E_MISSING (not an accessible directory), or a negative errno. */
int source_places_add_named(SourcePlaces *places, const char *path);

/*
 * Adds the directory of the file @path, which the user named and which may be a link, and the git work tree around it, if that belongs to
 * this user or root and no other user can write to it. Only files directly in @home and "/" count there. The same holds for the
 * parent directory, which is added if it is neither of these, has the same owner and is not world-writable. Returns 0 or a negative errno.
 */
int source_places_add_beside(SourcePlaces *places, const char *path, const char *home);

/* Adds the directory @path for files readable by all users; ignores a missing directory. Returns 0 or a negative errno. */
int source_places_add_public(SourcePlaces *places, const char *path);

/* The directories that the user named, by index; NULL past the last. */
const char *source_places_named_at(const SourcePlaces *places, size_t index);

/* Opens the regular file @path below one of the places. Returns 0, E_MISSING, E_OUTSIDE, or a negative errno. */
int source_places_open(const SourcePlaces *places, const char *path, int *ret_fd);
