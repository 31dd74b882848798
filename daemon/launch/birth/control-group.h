/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One control group, named by its directory below the root: its files, and killing everything in it. The kernel kills a group of
 * cgroup v2 as a whole (cgroup.kill). One of v1 with the freezer is frozen first, so that nothing in it forks while each process
 * is signalled. In any other group the processes are signalled one by one.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct RootDir RootDir;

/* The first line of the group's file @name. Returns 0, ROOT_DIR_E_*, or a negative errno. */
int control_group_read(RootDir *root, const char *group, const char *name, char *text, size_t n_text);
int control_group_write(RootDir *root, const char *group, const char *name, const char *text);

/* The number after @key in the group's file @name, of lines "KEY NUMBER"; 0 where there is none. */
unsigned long long control_group_count(RootDir *root, const char *group, const char *name, const char *key);

/* True if no process lives in it, or if there is no such group. */
bool control_group_is_empty(RootDir *root, const char *group);

/* Kills all processes in it, once. Takes a few milliseconds at most; a process may take longer to be gone. */
void control_group_kill(RootDir *root, const char *group);

/* Kills until it is empty, for at most @patience_ms. Returns true if it is empty. */
bool control_group_end(RootDir *root, const char *group, unsigned patience_ms);
