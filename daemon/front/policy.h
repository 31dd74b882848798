/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Policy: what one user may take of the daemon. Who may connect at all is the socket's mode and group; what a runner
 * may do is the launcher's. Pure: it is told what is in use and decides.
 */

#include <stddef.h>
#include <sys/types.h>

#define POLICY_CONNECTIONS_MAX     256u
#define POLICY_CONNECTIONS_UID_MAX 64u
#define POLICY_JOBS_MAX            64u
#define POLICY_JOBS_UID_MAX        8u
#define POLICY_UNREAD_UID_MAX      (8u << 20) /* bytes of replies that a user's clients leave unread */

enum {
        _POLICY_E_SUCCESS,

        POLICY_E_UNKNOWN_USER, /* an identity that was never read */
        POLICY_E_FULL,         /* all places are taken */
        POLICY_E_USER_FULL,    /* this user has taken as many as one may */
};

/* What is in use, over all users and by the one in question. */
typedef struct PolicyUse {
        size_t all;
        size_t user;
} PolicyUse;

/* May @uid open another connection? Returns 0, E_UNKNOWN_USER, E_FULL, or E_USER_FULL. */
int policy_connect(uid_t uid, PolicyUse connections);

/* May @uid submit another job? Returns 0, E_UNKNOWN_USER, E_FULL, or E_USER_FULL. */
int policy_submit(uid_t uid, PolicyUse jobs);
