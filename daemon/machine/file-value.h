/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The value of a file that benchd changes, as it was last written: where the kernel shows what is in force instead, it has
 * the other in a file beside it, and that one is read.
 */

#include <stddef.h>

typedef struct RootDir RootDir;

/* Reads the first line into @value. Returns what root_dir_read_line() does. */
int file_value_read(RootDir *root, const char *path, char *value, size_t n_value);
