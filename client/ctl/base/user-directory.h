/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * benchd's directories of this user, placed by the XDG Base Directory Specification. They are created with mode 0700. A directory of
 * another user, as HOME may name after sudo, is not used.
 */

#include <limits.h>
#include <stdbool.h>

typedef enum UserDirectory {
        USER_DIRECTORY_CACHE,
        USER_DIRECTORY_STATE,
} UserDirectory;

/*
 * Opens the directory "benchd" of @which, or unless NULL @name within it; creates missing directories if @make. Returns a descriptor, or
 * -1.
 */
int user_directory_open(UserDirectory which, const char *name, bool make);

/* The same for a directory that can be written, and is made if it is missing; with its path. */
int user_directory_find(UserDirectory which, const char *name, char ret_path[static PATH_MAX]);
