/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The name of a file within its path. basename() has two meanings, and a module may define another.
 */

#include <string.h>

/* The part of @path after its last slash. Borrowed. */
static inline const char *file_name_of(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}
