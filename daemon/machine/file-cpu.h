/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The CPU that a file of /sys belongs to: the files of a CPU, and of the policy that is named after one, can be neither
 * read nor written while that CPU is switched off. Their values come back with it.
 */

#include <stdbool.h>

typedef struct RootDir RootDir;

/* True if @path below @root is a file of a CPU that is switched off. */
bool file_cpu_is_off(RootDir *root, const char *path);
