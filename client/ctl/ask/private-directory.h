/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The directory of a private daemon: its socket, and whatever the daemon keeps beside it. benchctl removes it; that of a benchctl that was
 * killed is removed by a later one.
 *
 * A lock on a file in it, which benchctl and its daemon share, tells one that is in use. Only this user can open that file: whoever may enter the
 * directory could lock that too, and so keep it from being swept. Only directories of this user, with nothing in
 * them but files of a daemon's names, and unchanged for a minute, count as left over.
 */

#include <stdint.h>

#define PRIVATE_DIRECTORY_SOCKET "benchd.sock"
#define PRIVATE_DIRECTORY_LOCK   PRIVATE_DIRECTORY_SOCKET ".lock"

/* Makes a new one below @parent, and locks it by @ret_lock_fd for whoever has that open. Returns 0 or a negative errno. */
int private_directory_make(const char *parent, char **ret_path, int *ret_lock_fd);

/* Removes the files of a daemon at @path, whose restore journal is not in use any more, and then the directory. */
void private_directory_remove(const char *path);

/* Puts back what the journal beside @socket has, if there is one. */
typedef void (*PrivateRestore)(const char *socket);

/* Removes what was left below @parent, after @restore. */
void private_directory_sweep(const char *parent, uint64_t now_ns, PrivateRestore restore);
