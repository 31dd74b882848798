/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Shares: how much of each limited resource every user holds and may hold. A holder takes from its user's share through a ShareHold
 * embedded in it, and gives it back when the holder is freed, so no counter is kept by hand. A user reaches the limit per user before the
 * limit of all. The last connections and jobs are reserved for root (limits.h), and so are the last bytes of replies.
 *
 * Pure: it only counts against the limits that it is given.
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

        SHARE_E_UNKNOWN_USER, /* the user was never identified */
        SHARE_E_USER_FULL,    /* the user's limit is reached */
        SHARE_E_FULL,         /* the limit of all users is reached */
};

/* The shared resources. A new one is a constant here, a row in share.c and two options of the configuration. */
typedef enum ShareKind {
        SHARE_CONNECTIONS,
        SHARE_JOBS,
        SHARE_DESCRIPTORS,    /* sent by clients: as many as a request may bring, times the limit of jobs */
        SHARE_UNREAD_BYTES,   /* replies that their clients have not read */
        SHARE_RESULT_BYTES,   /* results of jobs under way */
        SHARE_RECALLED_BYTES, /* stored modules in memory, to be measured again */
        SHARE_SAMPLE_BYTES,   /* samples of benchmarks not reported yet */
        _SHARE_KINDS_N,
} ShareKind;

#define SHARE_JOB_DESCRIPTORS (RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX)

/* A held part of a user's share. All zero: nothing is held. */
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

/* Frees the shares; every hold must have been released. */
Shares *shares_free(Shares *shares);

/*
 * Takes @amount of @kind for @uid into @ret_hold, which holds nothing. Returns 0, E_UNKNOWN_USER, E_USER_FULL, E_FULL, or a
 * negative errno.
 */
int share_take(Shares *shares, uid_t uid, ShareKind kind, uint64_t amount, ShareHold *ret_hold);

/* The same for as much as there is room for: 0 to @most. Returns 0, E_UNKNOWN_USER, or a negative errno. */
int share_take_some(Shares *shares, uid_t uid, ShareKind kind, uint64_t most, ShareHold *ret_hold);

/* Changes what @hold holds to @amount. Less always succeeds; more can return E_USER_FULL or E_FULL, and then changes nothing. */
int share_change(ShareHold *hold, uint64_t amount);

/* Gives all of @hold back. */
void share_release(ShareHold *hold);

/*
 * Closes @n_fds descriptors, at most SOCKET_FDS_MAX, negative ones skipped, and releases @hold once they are closed. That may be long
 * afterwards. Without a closer, or with an empty @hold, fd_close_received() closes them and @hold is released at once.
 */
typedef void (*SharesClose)(void *userdata, uid_t uid, const int *fds, size_t n_fds, ShareHold *hold);
void shares_set_closer(Shares *shares, SharesClose close, void *userdata);
void share_close(ShareHold *hold, const int *fds, size_t n_fds);

/* True if the hold belongs to a user, even with amount 0. */
static inline bool share_is_held(const ShareHold *hold) {
        return hold->user;
}

/* Moves up to @amount from @hold to @ret_part, which must be empty. */
void share_split(ShareHold *hold, uint64_t amount, ShareHold *ret_part);

/* Moves all that @hold holds to the returned hold. */
ShareHold share_move(ShareHold *hold);

/* The amount of @kind that @uid holds. */
uint64_t share_held(const Shares *shares, uid_t uid, ShareKind kind);

/* The limits of @kind: per user, and of all users together. */
uint64_t share_most(const Shares *shares, ShareKind kind);
uint64_t share_most_by_all(const Shares *shares, ShareKind kind);

/* True for a kind that is counted in bytes. */
bool share_is_bytes(ShareKind kind);

/* Describes the use of each kind by @uid, in the order of the kinds. */
void share_describe(const Shares *shares, uid_t uid, ShareUse ret_uses[static _SHARE_KINDS_N]);

/* The next user after @uid (-1: the first) that holds something, by uid; -1 past the last. */
uid_t share_next_user(const Shares *shares, uid_t uid);
