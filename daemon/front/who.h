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

typedef struct Who {
        uid_t uids[WHO_MAX];
        gid_t gids[WHO_MAX];
        size_t n_uids, n_gids;
} Who;

/* Somebody at the other end of a socket, as it was connected. */
typedef struct WhoPeer {
        pid_t pid;
        uid_t uid;
        gid_t groups[WHO_GROUPS_MAX]; /* the first is that of its process */
        size_t n_groups;
} WhoPeer;

/* Whether @names, "alice,@wheel", is such a list. */
bool who_is_list(const char *names);

/* Told of each name that nobody has. */
typedef void (*WhoUnknown)(void *context, const char *name);

/* Looks up @names, which is such a list. Those beyond WHO_MAX are as nobody's. */
void who_init(Who *who, const char *names, WhoUnknown unknown, void *context);

/* Whether @peer is among them. */
bool who_has(const Who *who, const WhoPeer *peer);

/* Asks the kernel who is at the other end of @fd. Returns 0 or a negative errno. */
int who_read_peer(int fd, WhoPeer *ret_peer);
