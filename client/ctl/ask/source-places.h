/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The directories below which the file is opened that debug information names. Whoever made the module chose that name, and the text is printed:
 * so a module leads to no file but those beside it, directly above it, in the git work tree that it lies in, of the system's headers, and below directories that
 * the user named. Nothing is hidden there (a name that begins with a dot), unless the user named it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "util/cleanup.h"

typedef struct SourcePlaces SourcePlaces;

enum {
        _SOURCE_PLACES_E_SUCCESS,

        SOURCE_PLACES_E_MISSING, /* no regular file that can be read */
        SOURCE_PLACES_E_OUTSIDE, /* the file is not below a place, whatever links lead to it */
};

int source_places_new(SourcePlaces **ret_places);
SourcePlaces *source_places_free(SourcePlaces *places);
DEFINE_CLEANUP(SourcePlaces *, source_places_free)

/* Adds the directory @path, which the user named. Returns 0, E_MISSING (it is no directory that can be entered), or a negative errno. */
int source_places_add_named(SourcePlaces *places, const char *path);

/*
 * Adds the directory of the file @path, which the user named and which may be a link, and the git work tree around it that is this user's or
 * root's and that nobody else can write to. In @home and in "/" only the files directly there count, and so in the
 * directory above, if it is neither, of the same owner and not everybody's. Returns 0 or a negative errno.
 */
int source_places_add_beside(SourcePlaces *places, const char *path, const char *home);

/* Adds the directory @path for files that everybody may read. Returns 0 or a negative errno; a directory that is not there is none. */
int source_places_add_public(SourcePlaces *places, const char *path);

/* The directories that the user named, by index; NULL past the last. */
const char *source_places_named_at(const SourcePlaces *places, size_t index);

/* Opens the regular file @path below one of the places. Returns 0, E_MISSING, E_OUTSIDE, or a negative errno. */
int source_places_open(const SourcePlaces *places, const char *path, int *ret_fd);
