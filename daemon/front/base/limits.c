/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "front/base/config.h"

/* The fields of Config with the limits of a kind, and its words. */
typedef struct LimitRow {
        size_t all_offset, user_offset, root_offset;
        const char *option; /* of all; that of a user and of root begin with it */
        const char *one, *held;
        const char *again_user, *again_all; /* when there is a place again */
} LimitRow;

static const LimitRow places_rows[_LIMIT_KINDS_N] = {
        [LIMIT_CONNECTION] = {
                .all_offset = offsetof(Config, clients),
                .user_offset = offsetof(Config, clients_per_user),
                .root_offset = offsetof(Config, clients_for_root),
                .option = "clients",
                .one = "connection",
                .held = "open",
                .again_user = "Close one of them first",
                .again_all = "Try again when one is closed",
        },
        [LIMIT_JOB] = {
                .all_offset = offsetof(Config, jobs),
                .user_offset = offsetof(Config, jobs_per_user),
                .root_offset = offsetof(Config, jobs_for_root),
                .option = "jobs",
                .one = "job",
                .held = "waiting or under way",
                .again_user = "Try again when one of them has ended",
                .again_all = "Try again when a job has ended",
        },
};

static uint64_t limit_at(const Config *config, size_t offset) {
        uint64_t number;

        memcpy(&number, (const char *)config + offset, sizeof number);
        return number;
}

size_t limits_for(const Config *config, LimitKind kind, uid_t uid) {
        const uint64_t all = limit_at(config, places_rows[kind].all_offset);
        const uint64_t for_root = limit_at(config, places_rows[kind].root_offset);

        if (uid == 0)
                return all;
        return for_root < all ? all - for_root : 1;
}

static void refuse_user(const LimitRow *row, uint64_t most, ReplyError *ret_why) {
        reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY,
                        "This user has %" PRIu64 " %s%s %s, the limit for one user.", most, row->one,
                        most == 1 ? "" : "s", row->held);
        reply_error_hint(ret_why, "%s. The limit is %s_per_user= of benchd.conf.", row->again_user, row->option);
}

static void refuse_all(const LimitRow *row, size_t places, size_t for_root, ReplyError *ret_why) {
        char kept[64] = "";

        if (for_root > 0)
                snprintf(kept, sizeof kept, "; %zu more %s kept for root", for_root, for_root == 1 ? "is" : "are");
        if (places == 1)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY, "The only place for a %s is taken%s.", row->one,
                                kept);
        else
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY, "All %zu places for %ss are taken%s.", places,
                                row->one, kept);
        if (for_root > 0)
                reply_error_hint(ret_why, "%s. The limit is %s= of benchd.conf, of which %s_for_root= are root's.",
                                row->again_all, row->option, row->option);
        else
                reply_error_hint(ret_why, "%s. The limit is %s= of benchd.conf.", row->again_all, row->option);
}

void limits_refuse(const Config *config, LimitKind kind, uid_t uid, bool user_full, ReplyError *ret_why) {
        const LimitRow *row = &places_rows[kind];
        const size_t places = limits_for(config, kind, uid);

        if (user_full)
                refuse_user(row, limit_at(config, row->user_offset), ret_why);
        else
                refuse_all(row, places, limits_for(config, kind, 0) - places, ret_why);
}
