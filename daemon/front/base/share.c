/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/share.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "front/base/config.h"
#include "front/base/limits.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

#define NO_USER          ((uid_t)-1)
#define ROOT_UNREAD_PART 8u /* one in this many bytes of unread replies is reserved for root */

struct ShareUser {
        LIST_ENTRY(ShareUser) users;
        uid_t uid;
        size_t n_holds; /* that name this user, whatever they hold */
        uint64_t held[_SHARE_KINDS_N];
};

struct Shares {
        LIST_HEAD(, ShareUser) users; /* who hold something */
        uint64_t held[_SHARE_KINDS_N];
        uint64_t most[_SHARE_KINDS_N];
        uint64_t most_by_all[_SHARE_KINDS_N];
        uint64_t for_root[_SHARE_KINDS_N]; /* of these */
        SharesClose close;                 /* NULL: none is set */
        void *userdata;
};

/* A kind, and the fields of Config with its limits. */
typedef struct ShareRow {
        const char *name;
        size_t user_offset;
        size_t all_offset;
        bool bytes;
        unsigned each; /* of those fields there is so much; 0: one */
} ShareRow;

static const ShareRow share_rows[_SHARE_KINDS_N] = {
        [SHARE_CONNECTIONS] = { "clients", offsetof(Config, clients_per_user), offsetof(Config, clients) },
        [SHARE_JOBS] = { "jobs", offsetof(Config, jobs_per_user), offsetof(Config, jobs) },
        [SHARE_DESCRIPTORS] = { "descriptors", offsetof(Config, jobs_per_user), offsetof(Config, jobs),
                        .each = SHARE_JOB_DESCRIPTORS },
        [SHARE_UNREAD_BYTES] = { "unread", offsetof(Config, unread_per_user_bytes), offsetof(Config, unread_bytes),
                        true },
        [SHARE_RESULT_BYTES] = { "results", offsetof(Config, results_per_user_bytes), offsetof(Config, results_bytes),
                        true },
        [SHARE_RECALLED_BYTES] = { "recalled", offsetof(Config, recalled_per_user_bytes),
                        offsetof(Config, recalled_bytes), true },
        [SHARE_SAMPLE_BYTES] = { "samples", offsetof(Config, samples_per_user_bytes), offsetof(Config, samples_bytes),
                        true },
};

static uint64_t share_limit(const Config *config, const ShareRow *row, size_t offset) {
        uint64_t number;

        memcpy(&number, (const char *)config + offset, sizeof number);
        return row->each ? row->each * number : number;
}

/* ---- users */

static ShareUser *shares_find(const Shares *shares, uid_t uid) {
        ShareUser *user;

        LIST_FOREACH(user, &shares->users, users) {
                if (user->uid == uid)
                        return user;
        }
        return NULL;
}

static ShareUser *shares_add(Shares *shares, uid_t uid) {
        ShareUser *user = calloc(1, sizeof *user);

        if (!user)
                return NULL;
        user->uid = uid;
        LIST_INSERT_HEAD(&shares->users, user, users);
        return user;
}

uid_t share_next_user(const Shares *shares, uid_t uid) {
        uid_t next = NO_USER;
        const ShareUser *user;

        LIST_FOREACH(user, &shares->users, users) {
                if ((uid == NO_USER || user->uid > uid) && user->uid < next)
                        next = user->uid;
        }
        return next;
}

/* ---- holding */

/* True where @more exceeds what @most leaves beside @held. */
static bool exceeds(uint64_t held, uint64_t more, uint64_t most) {
        return more > most || held > most - more;
}

static uint64_t most_by_all_for(const Shares *shares, uid_t uid, ShareKind kind) {
        return shares->most_by_all[kind] - (uid == 0 ? 0 : shares->for_root[kind]);
}

static int share_check(const Shares *shares, uid_t uid, const ShareUser *user, ShareKind kind, uint64_t more) {
        if (exceeds(user ? user->held[kind] : 0, more, shares->most[kind]))
                return SHARE_E_USER_FULL;
        if (exceeds(shares->held[kind], more, most_by_all_for(shares, uid, kind)))
                return SHARE_E_FULL;
        return 0;
}

static uint64_t room_of(uint64_t most, uint64_t held) {
        return held < most ? most - held : 0;
}

int share_take(Shares *shares, uid_t uid, ShareKind kind, uint64_t amount, ShareHold *ret_hold) {
        ShareUser *user;
        int r;

        if (uid == NO_USER)
                return SHARE_E_UNKNOWN_USER;
        user = shares_find(shares, uid);
        r = share_check(shares, uid, user, kind, amount);
        if (r)
                return r;
        if (!user)
                user = shares_add(shares, uid);
        if (!user)
                return error_origin(-ENOMEM);
        user->n_holds++;
        user->held[kind] += amount;
        shares->held[kind] += amount;
        *ret_hold = (ShareHold){ .shares = shares, .user = user, .kind = kind, .amount = amount };
        return 0;
}

int share_take_some(Shares *shares, uid_t uid, ShareKind kind, uint64_t most, ShareHold *ret_hold) {
        const uint64_t by_user = room_of(shares->most[kind], share_held(shares, uid, kind));
        const uint64_t by_all = room_of(most_by_all_for(shares, uid, kind), shares->held[kind]);
        const uint64_t room = by_user < by_all ? by_user : by_all;

        return share_take(shares, uid, kind, most < room ? most : room, ret_hold);
}

int share_change(ShareHold *hold, uint64_t amount) {
        int r;

        if (amount > hold->amount) {
                r = share_check(hold->shares, hold->user->uid, hold->user, hold->kind, amount - hold->amount);
                if (r)
                        return r;
        }
        hold->user->held[hold->kind] += amount - hold->amount;
        hold->shares->held[hold->kind] += amount - hold->amount;
        hold->amount = amount;
        return 0;
}

ShareHold share_move(ShareHold *hold) {
        const ShareHold taken = *hold;

        *hold = (ShareHold){};
        return taken;
}

void share_release(ShareHold *hold) {
        ShareUser *user = hold->user;

        if (!user)
                return;
        (void)share_change(hold, 0);
        if (--user->n_holds == 0) {
                LIST_REMOVE(user, users);
                free(user);
        }
        *hold = (ShareHold){};
}

void shares_set_closer(Shares *shares, SharesClose close, void *userdata) {
        shares->close = close;
        shares->userdata = userdata;
}

void share_close(ShareHold *hold, const int *fds, size_t n_fds) {
        int open[SOCKET_FDS_MAX];
        size_t n = 0;

        for (size_t i = 0; i < n_fds; i++)
                if (fds[i] >= 0)
                        open[n++] = fds[i];
        if (n > 0 && hold->user && hold->shares->close) {
                hold->shares->close(hold->shares->userdata, hold->user->uid, open, n, hold);
                return;
        }
        fds_close_received(open, n);
        share_release(hold);
}

void share_split(ShareHold *hold, uint64_t amount, ShareHold *ret_part) {
        if (!hold->user)
                return;
        *ret_part = *hold;
        ret_part->amount = amount < hold->amount ? amount : hold->amount;
        hold->amount -= ret_part->amount;
        hold->user->n_holds++;
}

/* ---- reports */

uint64_t share_held(const Shares *shares, uid_t uid, ShareKind kind) {
        const ShareUser *user = shares_find(shares, uid);

        return user ? user->held[kind] : 0;
}

uint64_t share_most(const Shares *shares, ShareKind kind) {
        return shares->most[kind];
}

uint64_t share_most_by_all(const Shares *shares, ShareKind kind) {
        return shares->most_by_all[kind];
}

bool share_is_bytes(ShareKind kind) {
        return share_rows[kind].bytes;
}

void share_describe(const Shares *shares, uid_t uid, ShareUse ret_uses[static _SHARE_KINDS_N]) {
        for (size_t i = 0; i < _SHARE_KINDS_N; i++)
                ret_uses[i] = (ShareUse){
                        .name = share_rows[i].name,
                        .uid = uid,
                        .held = share_held(shares, uid, i),
                        .most = shares->most[i],
                        .held_by_all = shares->held[i],
                        .most_by_all = shares->most_by_all[i],
                };
}

/* ---- life */

/* Nobody's own part is cut by it. */
static uint64_t unread_for_root(const Shares *shares) {
        const uint64_t all = shares->most_by_all[SHARE_UNREAD_BYTES];
        const uint64_t beside_one = room_of(all, shares->most[SHARE_UNREAD_BYTES]);

        return all / ROOT_UNREAD_PART < beside_one ? all / ROOT_UNREAD_PART : beside_one;
}

int shares_new(const Config *config, Shares **ret_shares) {
        Shares *shares = calloc(1, sizeof *shares);

        if (!shares)
                return error_origin(-ENOMEM);
        LIST_INIT(&shares->users);
        for (size_t i = 0; i < _SHARE_KINDS_N; i++) {
                shares->most[i] = share_limit(config, &share_rows[i], share_rows[i].user_offset);
                shares->most_by_all[i] = share_limit(config, &share_rows[i], share_rows[i].all_offset);
        }
        shares->for_root[SHARE_CONNECTIONS] = config->clients - limits_for(config, LIMIT_CONNECTION, NO_USER);
        shares->for_root[SHARE_JOBS] = config->jobs - limits_for(config, LIMIT_JOB, NO_USER);
        shares->for_root[SHARE_UNREAD_BYTES] = unread_for_root(shares);
        *ret_shares = shares;
        return 0;
}

Shares *shares_free(Shares *shares) {
        free(shares);
        return NULL;
}
