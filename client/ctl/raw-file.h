/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The file of --raw. It is opened before anything is measured, so that a path that cannot be written costs nothing, and emptied only
 * when there are samples; one that was made for none is removed again.
 */

#include <stdbool.h>

typedef struct json_t json_t;

typedef struct RawFile {
        const char *path; /* NULL: none */
        int fd;
        bool created;
        bool written;
} RawFile;

/* Opens the file at @path, which the caller keeps. Returns 0 or a negative errno. */
int raw_file_open(const char *path, RawFile *ret_file);

/* Writes the samples of @result. Returns 0, RAW_E_*, or a negative errno. */
int raw_file_write(RawFile *file, const json_t *result);

/* Returns 0 or a negative errno. */
int raw_file_close(RawFile *file);
