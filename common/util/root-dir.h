/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A directory below which files are read and written by relative path: the machine's root in a daemon, a captured machine
 * in a test. All code that touches /proc or /sys takes one, so that it runs on data.
 */

#include <stddef.h>

#include "util/cleanup.h"

typedef struct RootDir RootDir;

enum {
        _ROOT_DIR_E_SUCCESS,

        ROOT_DIR_E_MISSING, /* no such file: the machine lacks that feature */
        ROOT_DIR_E_DENIED,
        ROOT_DIR_E_REFUSED, /* the kernel does not return a value, or rejects this one, at least now */
};

/* Opens @path as a root. Returns 0 or a negative errno. */
int root_dir_new(const char *path, RootDir **ret_root);
RootDir *root_dir_free(RootDir *root);
DEFINE_CLEANUP(RootDir *, root_dir_free)

/* The directory itself, for the *at() calls; it stays the root's. */
int root_dir_fd(const RootDir *root);

/*
 * Reads the file at @path, relative to the root, into @buffer of @n_buffer bytes: its start, zero-terminated. Returns 0,
 * E_MISSING, E_DENIED, E_REFUSED, or a negative errno.
 */
int root_dir_read(RootDir *root, const char *path, char *buffer, size_t n_buffer);

/* As root_dir_read(), the first line only, without its newline. */
int root_dir_read_line(RootDir *root, const char *path, char *buffer, size_t n_buffer);

/*
 * Writes @text to the file at @path, which must exist, in one piece. Returns 0, E_MISSING, E_DENIED (a read-only file
 * system too), E_REFUSED, or a negative errno.
 */
int root_dir_write(RootDir *root, const char *path, const char *text);

/*
 * Finds the entries of the directory at @path that are named @prefix and then a number ("cpu12" with "cpu"; plain
 * numbers with ""): at most @max of the numbers into @numbers, rising. A missing directory has none. Returns 0 or a
 * negative errno.
 */
int root_dir_numbers(RootDir *root, const char *path, const char *prefix, unsigned *numbers, size_t max, size_t *ret_n);
