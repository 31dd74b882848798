/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/allow-list.h"

#include <ctype.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "util/error.h"

#define NAME_BYTES 64u

/* Takes the next of @names, without the blanks around it. False at the end, or at a name that is too long. */
static bool next_name(const char **names, char *name) {
        size_t n;

        *names += strspn(*names, ", ");
        n = strcspn(*names, ", ");
        if (n == 0 || n >= NAME_BYTES)
                return false;
        memcpy(name, *names, n);
        name[n] = 0;
        *names += n;
        return true;
}

static bool is_everyone(const char *name) {
        return strcmp(name, "*") == 0;
}

static bool is_name(const char *name) {
        if (is_everyone(name))
                return true;
        if (*name == '@')
                name++;
        if (!isalnum((unsigned char)*name) && *name != '_')
                return false;
        for (; *name; name++)
                if (!isalnum((unsigned char)*name) && !strchr("_-.$", *name))
                        return false;
        return true;
}

bool allow_list_is_valid(const char *names) {
        char name[NAME_BYTES];
        size_t n = 0;

        for (; next_name(&names, name); n++)
                if (!is_name(name))
                        return false;
        return n > 0 && n <= ALLOW_LIST_MAX && *names == 0;
}

static bool add_user(AllowList *list, const char *name) {
        const struct passwd *user = getpwnam(name);

        if (!user || list->n_uids == ALLOW_LIST_MAX)
                return false;
        list->uids[list->n_uids++] = user->pw_uid;
        return true;
}

static bool add_group(AllowList *list, const char *name) {
        const struct group *group = getgrnam(name);

        if (!group || list->n_gids == ALLOW_LIST_MAX)
                return false;
        list->gids[list->n_gids++] = group->gr_gid;
        return true;
}

void allow_list_init(AllowList *list, const char *names, AllowListUnknown unknown, void *context) {
        char name[NAME_BYTES];

        *list = (AllowList){};
        while (next_name(&names, name))
                if (is_everyone(name))
                        list->everyone = true;
                else if (!(*name == '@' ? add_group(list, name + 1) : add_user(list, name)))
                        unknown(context, name);
}

static bool has_group(const AllowList *list, gid_t gid) {
        for (size_t i = 0; i < list->n_gids; i++)
                if (list->gids[i] == gid)
                        return true;
        return false;
}

bool allow_list_has(const AllowList *list, const AllowPeer *peer) {
        if (list->everyone)
                return true;
        for (size_t i = 0; i < list->n_uids; i++)
                if (list->uids[i] == peer->uid)
                        return true;
        for (size_t i = 0; i < peer->n_groups; i++)
                if (has_group(list, peer->groups[i]))
                        return true;
        return false;
}

/* A process with more groups than fit counts only as a member of its primary group. */
int allow_list_read_peer(int fd, AllowPeer *ret_peer) {
        struct ucred credentials;
        socklen_t length = sizeof credentials;
        AllowPeer peer = { .n_groups = 1 };

        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0)
                return error_origin(-errno);
        peer.pid = credentials.pid;
        peer.uid = credentials.uid;
        peer.groups[0] = credentials.gid;
        length = sizeof peer.groups - sizeof peer.groups[0];
        if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, &peer.groups[1], &length) == 0)
                peer.n_groups += length / sizeof peer.groups[0];
        *ret_peer = peer;
        return 0;
}
