/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Policy: what one user may take of the daemon. Who may connect at all is the socket's mode and group; what a runner
 * may do is the launcher's. Pure: it is told what is in use and decides.
 */

#include <stddef.h>
#include <sys/types.h>

#define POLICY_WATCHES_MAX    16u        /* requests of a connection that are answered later */
#define POLICY_UNREAD_UID_MAX (8u << 20) /* bytes of replies that a user's clients leave unread */

enum {
        _POLICY_E_SUCCESS,

        POLICY_E_UNKNOWN_USER, /* an identity that was never read */
        POLICY_E_FULL,         /* all places are taken */
        POLICY_E_USER_FULL,    /* this user has taken as many as one may */
};

/* What is in use, or may be, over all users and by the one in question. */
typedef struct PolicyUse {
        size_t all;
        size_t user;
} PolicyUse;

/*
 * May @uid take one more, a connection or a job, where @use are taken and @most may be? Returns 0, E_UNKNOWN_USER, E_FULL,
 * or E_USER_FULL.
 */
int policy_take(uid_t uid, PolicyUse use, PolicyUse most);
