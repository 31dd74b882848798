/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Shares: how much of each exhaustible thing every user holds, and may hold. A holder takes from its user's share through
 * a ShareHold that is part of the holder, and gives it back when the holder is freed, so no count is kept by hand and none
 * can be forgotten. One user reaches the end of its own share before the end of what there is for all. The last connections
 * and jobs are root's alone (limits.h), and so are the last bytes of replies.
 *
 * Pure: it knows numbers, and the limits that it is given.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ops/runner-plan.h"

typedef struct Config Config;
typedef struct Shares Shares;
typedef struct ShareUser ShareUser;

enum {
        _SHARE_E_SUCCESS,

        SHARE_E_UNKNOWN_USER, /* an identity that was never read */
        SHARE_E_USER_FULL,    /* the user has taken as much as one may */
        SHARE_E_FULL,         /* all users together have taken what there is */
};

/* The things that are shared. A new one is a word here, a row in share.c and two options of the configuration. */
typedef enum ShareKind {
        SHARE_CONNECTIONS,
        SHARE_JOBS,
        SHARE_DESCRIPTORS,    /* that clients sent: as many as come with a request, for each of the jobs */
        SHARE_UNREAD_BYTES,   /* replies that their clients have not read */
        SHARE_RESULT_BYTES,   /* results of jobs under way */
        SHARE_RECALLED_BYTES, /* stored modules that are in memory for a comparison */
        SHARE_SAMPLE_BYTES,   /* samples of benchmarks that are not reported yet */
        _SHARE_KINDS_N,
} ShareKind;

#define SHARE_JOB_DESCRIPTORS (RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX)

/* A part of a user's share, held by something. All zero: nothing is held. */
typedef struct ShareHold {
        Shares *shares;
        ShareUser *user;
        ShareKind kind;
        uint64_t amount;
} ShareHold;

/* One row of the report: the amount of a kind that @uid holds. */
typedef struct ShareUse {
        const char *name; /* of the kind, as the option of its limit */
        uid_t uid;
        uint64_t held;
        uint64_t most; /* by one user */
        uint64_t held_by_all;
        uint64_t most_by_all;
} ShareUse;

/* Takes the limits from @config. Returns 0 or a negative errno. */
int shares_new(const Config *config, Shares **ret_shares);

/* Frees the shares, of which nothing is held any more. */
Shares *shares_free(Shares *shares);

/*
 * Takes @amount of @kind for @uid into @ret_hold, which holds nothing. Returns 0, E_UNKNOWN_USER, E_USER_FULL, E_FULL, or a
 * negative errno.
 */
int share_take(Shares *shares, uid_t uid, ShareKind kind, uint64_t amount, ShareHold *ret_hold);

/* The same for up to @most, as much as there is room for, which can be nothing. Returns 0, E_UNKNOWN_USER, or a negative errno. */
int share_take_some(Shares *shares, uid_t uid, ShareKind kind, uint64_t most, ShareHold *ret_hold);

/* Changes what @hold holds to @amount. Less is always given; more returns 0, E_USER_FULL or E_FULL, and changes nothing. */
int share_change(ShareHold *hold, uint64_t amount);

/* Gives all of @hold back. */
void share_release(ShareHold *hold);

/*
 * Closes those of @n_fds descriptors, SOCKET_FDS_MAX at most, that are not negative, for the user of @hold, which is given back when that is
 * done. It may be long afterwards: who has set no closer, or nothing held, hands them to fd_close_received(), and gives @hold back at once.
 */
typedef void (*SharesClose)(void *userdata, uid_t uid, const int *fds, size_t n_fds, ShareHold *hold);
void shares_set_closer(Shares *shares, SharesClose close, void *userdata);
void share_close(ShareHold *hold, const int *fds, size_t n_fds);

/* True where something is held, if only a place for it. */
static inline bool share_is_held(const ShareHold *hold) {
        return hold->user;
}

/* Hands over @amount of what @hold holds, as much as there is, to @ret_part, which holds nothing. */
void share_split(ShareHold *hold, uint64_t amount, ShareHold *ret_part);

/* Hands over what @hold holds, and leaves nothing. */
ShareHold share_move(ShareHold *hold);

/* The amount of @kind that @uid holds. */
uint64_t share_held(const Shares *shares, uid_t uid, ShareKind kind);

/* The most of @kind that one user may hold, and all together. */
uint64_t share_most(const Shares *shares, ShareKind kind);
uint64_t share_most_by_all(const Shares *shares, ShareKind kind);

/* True for a kind that is counted in bytes. */
bool share_is_bytes(ShareKind kind);

/* Describes the use of each kind by @uid, in the order of the kinds. */
void share_describe(const Shares *shares, uid_t uid, ShareUse ret_uses[static _SHARE_KINDS_N]);

/* The user after @uid who holds something, in the order of their numbers; -1: the first. Returns -1 past the last. */
uid_t share_next_user(const Shares *shares, uid_t uid);
