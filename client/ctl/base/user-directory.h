/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Directories of this user's for benchd, as the XDG Base Directory Specification places them. Each is mode 0700 where it is made, and
 * belongs to this user: one of somebody else's, as HOME may name after sudo, is left alone.
 */

#include <stdbool.h>

typedef enum UserDirectory {
        USER_DIRECTORY_CACHE,
        USER_DIRECTORY_STATE,
} UserDirectory;

/*
 * Opens the directory "benchd" of @which, or @name within it unless NULL; makes what is missing if @make. Returns a descriptor,
 * or -1.
 */
int user_directory_open(UserDirectory which, const char *name, bool make);
