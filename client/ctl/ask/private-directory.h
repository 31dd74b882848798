/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The directory of a private daemon: its socket and its other files. benchctl removes it; a later benchctl removes the directory of a
 * killed one.
 *
 * A lock on a file in it, shared by benchctl and its daemon, marks a directory in use. The lock is not on the directory, since every user
 * who can open that could lock it, too, and so prevent its removal; only this user can open the file. A directory counts as left over only
 * if it belongs to this user, contains only files with a daemon's names, and has not changed for a minute.
 */

#include <stdint.h>

#define PRIVATE_DIRECTORY_SOCKET "benchd.sock"
#define PRIVATE_DIRECTORY_LOCK   PRIVATE_DIRECTORY_SOCKET ".lock"

/* Makes a new directory below @parent, locked as long as any process has @ret_lock_fd open. Returns 0 or a negative errno. */
int private_directory_make(const char *parent, char **ret_path, int *ret_lock_fd);

/* Removes a daemon's files at @path, whose restore journal must no longer be in use, and then the directory. */
void private_directory_remove(const char *path);

/* Restores the settings in the journal beside @socket, if there is one. */
typedef void (*PrivateRestore)(const char *socket);

/* Calls @restore for left-over directories below @parent, then removes them. */
void private_directory_sweep(const char *parent, uint64_t now_ns, PrivateRestore restore);
