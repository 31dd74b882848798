/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/share-report.h"

#include <stdbool.h>

#include "front/base/arena.h"
#include "front/base/message.h"
#include "front/base/share.h"
#include "front/history/retention.h"
#include "front/jobs/job.h"
#include "util/error.h"

#define NO_USER             ((uid_t)-1)
#define SHARE_REPORT_STORED 2u   /* beside the kinds of shares: history and modules */
#define SHARE_REPORT_USERS  256u /* that root is told of */

static int report_add(Arena *arena, Benchd__Status *status, const ShareUse *use, bool bytes, bool sums) {
        Benchd__Use *row = message_new(arena, Benchd__Use, benchd__use);

        if (!row)
                return error_origin(-ENOMEM);
        row->name = arena_text(arena, use->name);
        message_set(row, uid, use->uid);
        message_set(row, held, use->held);
        message_set(row, most, use->most);
        message_set(row, bytes, bytes);
        if (sums) {
                message_set(row, held_by_all, use->held_by_all);
                message_set(row, most_by_all, use->most_by_all);
        }
        status->uses[status->n_uses++] = row;
        return 0;
}

static int report_user(Arena *arena, const JobServices *services, uid_t uid, bool sums, Benchd__Status *status) {
        const RetentionLimits *limits = retention_limits(services->retention);
        ShareUse uses[_SHARE_KINDS_N];
        RetentionUse stored;
        int r = 0;

        share_describe(services->shares, uid, uses);
        for (size_t i = 0; r == 0 && i < _SHARE_KINDS_N; i++)
                r = report_add(arena, status, &uses[i], share_is_bytes(i), sums);
        retention_read_use(services->retention, uid, &stored);
        if (r == 0)
                r = report_add(arena, status,
                                &(ShareUse){ .name = "history",
                                                .uid = uid,
                                                .held = stored.history_bytes,
                                                .most = limits->user_bytes },
                                true, false);
        if (r == 0)
                r = report_add(arena, status,
                                &(ShareUse){ .name = "modules",
                                                .uid = uid,
                                                .held = stored.module_bytes,
                                                .most = limits->module_user_bytes },
                                true, false);
        return r;
}

/* The user after @uid who holds or has stored anything. */
static uid_t next_user(const JobServices *services, uid_t uid) {
        const uid_t holder = share_next_user(services->shares, uid);
        const uid_t keeper = retention_next_user(services->retention, uid);

        return holder < keeper ? holder : keeper; /* NO_USER is the largest */
}

int share_report_fill(Arena *arena, const JobServices *services, uid_t uid, Benchd__Status *status) {
        const size_t n_users = uid == 0 ? SHARE_REPORT_USERS : 1;
        uid_t user = uid == 0 ? next_user(services, NO_USER) : uid;
        int r = 0;

        status->uses = arena_zero(arena, n_users * (_SHARE_KINDS_N + SHARE_REPORT_STORED) * sizeof *status->uses);
        if (!status->uses)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < n_users && user != NO_USER; i++) {
                r = report_user(arena, services, user, uid == 0, status);
                user = uid == 0 ? next_user(services, user) : NO_USER;
        }
        return r;
}
