/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tells builds apart by what is loaded of them: a commit that changed documentation or tests gives the machine code of the one before.
 */

#include <stdint.h>

/* A hash of the sections that the module at @path has in memory, without notes such as its build id; 0: it cannot be read. */
uint64_t module_code(const char *path);
