/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Whose file one of /sys is: those of a CPU, and of the policy that is named after one, can be neither read nor written
 * while that CPU is switched off. What they hold comes back with it.
 */

#include <stdbool.h>

typedef struct RootDir RootDir;

/* Whether @path below @root is a file of a CPU that is switched off. */
bool file_cpu_is_off(RootDir *root, const char *path);
