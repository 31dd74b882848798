/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A directory below which files are read by relative path: the machine's root in a daemon, a captured machine in a test.
 * What reads /proc or /sys takes one, so that it runs on data.
 */

#include <stddef.h>

typedef struct RootDir RootDir;

enum {
        _ROOT_DIR_E_SUCCESS,

        ROOT_DIR_E_MISSING, /* no such file: the machine does not have what it would tell */
        ROOT_DIR_E_DENIED,
};

/* Opens @path as a root. Returns 0 or a negative errno. */
int root_dir_new(const char *path, RootDir **ret_root);
RootDir *root_dir_free(RootDir *root);

/*
 * Reads the file at @path, relative to the root, into @buffer of @n_buffer bytes: its start, zero-terminated. Returns 0,
 * E_MISSING, E_DENIED, or a negative errno.
 */
int root_dir_read(RootDir *root, const char *path, char *buffer, size_t n_buffer);

/* As root_dir_read(), the first line only, without its newline. */
int root_dir_read_line(RootDir *root, const char *path, char *buffer, size_t n_buffer);
