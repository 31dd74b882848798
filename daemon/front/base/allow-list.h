/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Who may do what few may: a list of users and, behind a @, groups, as the configuration has it. The names are looked up
 * once, at the start, since a directory service may take its time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define WHO_MAX        32u
#define WHO_GROUPS_MAX 1024u

typedef struct AllowList {
        uid_t uids[WHO_MAX];
        gid_t gids[WHO_MAX];
        size_t n_uids, n_gids;
} AllowList;

/* Somebody at the other end of a socket, as it was connected. */
typedef struct AllowPeer {
        pid_t pid;
        uid_t uid;
        gid_t groups[WHO_GROUPS_MAX]; /* the first is that of its process */
        size_t n_groups;
} AllowPeer;

/* Whether @names, "alice,@wheel", is such a list. */
bool allow_list_is_list(const char *names);

/* Told of each name that nobody has. */
typedef void (*AllowListUnknown)(void *context, const char *name);

/* Looks up @names, which is such a list. Those beyond WHO_MAX are as nobody's. */
void allow_list_init(AllowList *who, const char *names, AllowListUnknown unknown, void *context);

/* Whether @peer is among them. */
bool allow_list_has(const AllowList *who, const AllowPeer *peer);

/* Asks the kernel who is at the other end of @fd. Returns 0 or a negative errno. */
int allow_list_read_peer(int fd, AllowPeer *ret_peer);
