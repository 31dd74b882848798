/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Values of /proc and /sys that may be missing: what the machine does not tell reads as empty or 0.
 */

#include <sched.h>
#include <stddef.h>

typedef struct RootDir RootDir;

/* The first line of the file at @path into @text. Returns 0 or a negative errno. */
int sysfs_read_text(RootDir *root, const char *path, char *text, size_t n_text);

/* The set of CPUs in it, separated by commas or blanks; text that is no set, as "(null)", is empty. */
int sysfs_read_set(RootDir *root, const char *path, cpu_set_t *ret_set);

/* The number in it; 0 for a negative one too. */
int sysfs_read_number(RootDir *root, const char *path, unsigned *ret_number);
