/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Allow list: users, and groups marked with @, that the configuration allows to do something. The names are looked up
 * once, at the start: a directory service may be slow.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ALLOW_LIST_MAX        32u
#define ALLOW_LIST_GROUPS_MAX 1024u

typedef struct AllowList {
        uid_t uids[ALLOW_LIST_MAX];
        gid_t gids[ALLOW_LIST_MAX];
        size_t n_uids, n_gids;
        bool everyone;
} AllowList;

/* The process at the other end of a socket, as it was connected. */
typedef struct AllowPeer {
        pid_t pid;
        uid_t uid;
        gid_t groups[ALLOW_LIST_GROUPS_MAX]; /* the first is the process's own */
        size_t n_groups;
} AllowPeer;

/* True for a list of names ("alice,@wheel"), or "*" for everyone. */
bool allow_list_is_valid(const char *names);

/* Called for each name without a user or group. */
typedef void (*AllowListUnknown)(void *context, const char *name);

/* Looks up @names, a valid list. Names beyond ALLOW_LIST_MAX count as unknown. */
void allow_list_init(AllowList *list, const char *names, AllowListUnknown unknown, void *context);

/* True if the list contains @peer's user or one of its groups. */
bool allow_list_has(const AllowList *list, const AllowPeer *peer);

/* Asks the kernel for the process at the other end of @fd. Returns 0 or a negative errno. */
int allow_list_read_peer(int fd, AllowPeer *ret_peer);
