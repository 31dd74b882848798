/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The users that processes run as. A client's module runs as the client; root's modules and calibration run as
 * `benchd-run`; the front-end runs as `benchd`. No module ever runs as root. If the two users are not installed (tests,
 * --private), they are numbers that own nothing.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "util/socket.h"

/* From the range that systemd's list of uids (UIDS-GIDS.md) leaves unused. */
#define IDENTITY_FRONT_UID 65530u
#define IDENTITY_RUN_UID   65529u

enum {
        _IDENTITY_E_SUCCESS,

        IDENTITY_E_REFUSED, /* this peer may not run anything */
};

typedef struct Identity {
        uid_t uid;
        gid_t gid;
        size_t n_groups;
        gid_t groups[SOCKET_GROUPS_MAX];
} Identity;

#define IDENTITY_NULL ((Identity){ .uid = (uid_t)-1, .gid = (gid_t)-1 })

/* The identities of an installation: its two users, and whether this process may change its identity. */
typedef struct Identities {
        bool privileged;
        Identity own; /* of this process */
        Identity front;
        Identity run;
} Identities;

/* Looks the users up; a user that does not exist is represented by its number. */
void identities_read(Identities *ret_identities);

/* Finds the identity that the module of @peer runs as. Pure. Returns 0 or E_REFUSED. */
int identities_map(const Identities *identities, const SocketPeer *peer, Identity *ret_identity);
