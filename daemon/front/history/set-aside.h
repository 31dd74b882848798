/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Files that were set aside: a database that cannot be read is renamed to NAME.unreadable-TIME, its content unchanged, with the files that
 * SQLite keeps beside it. Nothing removes it but an administrator, who has looked at it once it has left the directory or got another name.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * Renames the database at @path and what is beside it, all or none, to a name that nothing has yet. Returns 0 with the name, which the
 * caller frees, or a negative errno.
 */
int set_aside(const char *path, uint64_t now_unix_ns, char **ret_name);

/* Counts the databases that @path was set aside as and that are still there; @ret_name: the path of the last by its time, or NULL, which the caller frees. */
size_t set_aside_count(const char *path, char **ret_name);
