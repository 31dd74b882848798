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

/*
 * Writes @value. A limit of cpufreq, which the kernel takes over only after the write, is waited for: 0.2 s, since a
 * value that the kernel clamps never reads as it was written. Returns what root_dir_write() does.
 */
int file_value_write(RootDir *root, const char *path, const char *value);
