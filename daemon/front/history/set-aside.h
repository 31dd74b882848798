/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Setting files aside: an unreadable database is renamed to NAME.unreadable-TIME, unchanged, with the files that SQLite keeps beside it.
 * benchd never removes it: an administrator does, and counts as having looked at it once it is gone from the directory or renamed.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * Renames the database at @path and its companion files, all or none, to an unused name. Returns 0 with the name, which the caller frees,
 * or a negative errno.
 */
int set_aside(const char *path, uint64_t now_unix_ns, char **ret_name);

/*
 * Counts the databases that were set aside from @path and are still there; @ret_name: the path of the latest, which the caller frees, or
 * NULL.
 */
size_t set_aside_count(const char *path, char **ret_name);
