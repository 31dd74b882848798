/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/precedence.h"

#include <math.h>
#include <stddef.h>

#define FIRST_RANK_NS 1000000.0 /* less than this is the first rank's */

static double used_by(const PrecedenceUser *user, uint64_t now_ns) {
        return (double)user->used_ns * exp2(-(double)(now_ns - user->at_ns) / (double)PRECEDENCE_HALF_NS);
}

/* NULL: @uid has used nothing. */
static const PrecedenceUser *precedence_find(const Precedence *precedence, uid_t uid) {
        for (size_t i = 0; i < PRECEDENCE_USERS; i++)
                if (precedence->users[i].used_ns > 0 && precedence->users[i].uid == uid)
                        return &precedence->users[i];
        return NULL;
}

static const PrecedenceUser *precedence_least(const Precedence *precedence, uint64_t now_ns) {
        const PrecedenceUser *least = &precedence->users[0];

        for (size_t i = 1; i < PRECEDENCE_USERS; i++)
                if (used_by(&precedence->users[i], now_ns) < used_by(least, now_ns))
                        least = &precedence->users[i];
        return least;
}

void precedence_charge(Precedence *precedence, uid_t uid, uint64_t cpu_ns, uint64_t now_ns) {
        const PrecedenceUser *known = precedence_find(precedence, uid);
        const uint64_t before_ns = known ? (uint64_t)used_by(known, now_ns) : 0;
        const PrecedenceUser *place = known ? known : precedence_least(precedence, now_ns);

        precedence->users[place - precedence->users] =
                        (PrecedenceUser){ .uid = uid, .used_ns = before_ns + cpu_ns, .at_ns = now_ns };
}

unsigned precedence_rank(const Precedence *precedence, uid_t uid, uint64_t now_ns) {
        const PrecedenceUser *user = precedence_find(precedence, uid);
        const double used_ns = user ? used_by(user, now_ns) : 0;
        const double rank = used_ns < FIRST_RANK_NS ? 0 : 1 + floor(log2(used_ns / FIRST_RANK_NS));

        return rank < PRECEDENCE_RANKS ? (unsigned)rank : PRECEDENCE_RANKS - 1;
}
