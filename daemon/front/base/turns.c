/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/turns.h"

#include <math.h>
#include <stddef.h>

#define FIRST_RANK_NS 1000000.0 /* less than this is the first rank's */

/* ---- whose turn comes first */

static double used_by(const TurnsUser *user, uint64_t now_ns) {
        return (double)user->used_ns * exp2(-(double)(now_ns - user->at_ns) / (double)TURNS_HALF_NS);
}

/* NULL: @uid has used nothing. */
static const TurnsUser *turns_find(const Turns *turns, uid_t uid) {
        for (size_t i = 0; i < TURNS_USERS; i++)
                if (turns->users[i].used_ns > 0 && turns->users[i].uid == uid)
                        return &turns->users[i];
        return NULL;
}

static const TurnsUser *turns_least(const Turns *turns, uint64_t now_ns) {
        const TurnsUser *least = &turns->users[0];

        for (size_t i = 1; i < TURNS_USERS; i++)
                if (used_by(&turns->users[i], now_ns) < used_by(least, now_ns))
                        least = &turns->users[i];
        return least;
}

static void turns_charge(Turns *turns, uid_t uid, uint64_t cpu_ns, uint64_t now_ns) {
        const TurnsUser *known = turns_find(turns, uid);
        const uint64_t before_ns = known ? (uint64_t)used_by(known, now_ns) : 0;
        const TurnsUser *place = known ? known : turns_least(turns, now_ns);

        turns->users[place - turns->users] = (TurnsUser){ .uid = uid, .used_ns = before_ns + cpu_ns, .at_ns = now_ns };
}

static unsigned turns_rank(const Turns *turns, uid_t uid, uint64_t now_ns) {
        const TurnsUser *user = turns_find(turns, uid);
        const double used_ns = user ? used_by(user, now_ns) : 0;
        const double rank = used_ns < FIRST_RANK_NS ? 0 : 1 + floor(log2(used_ns / FIRST_RANK_NS));

        return rank < TURNS_RANKS ? (unsigned)rank : TURNS_RANKS - 1;
}

/* ---- turns */

const char *turn_kind_word(TurnKind kind) {
        static const char *const words[_TURN_KINDS_N] = {
                [TURN_OTHER] = "other",
                [TURN_CONNECTION] = "connection",
                [TURN_REQUEST] = "request",
                [TURN_PREPARING] = "preparing",
                [TURN_CHOOSING] = "choosing",
                [TURN_PLANNING] = "planning",
                [TURN_LISTING] = "listing",
                [TURN_INSPECTION] = "inspection",
                [TURN_SAMPLES] = "samples",
                [TURN_RESULT] = "result",
                [TURN_HISTORY] = "history",
                [TURN_SWEEP] = "sweep",
        };

        return words[kind];
}

void turns_begin(Turns *turns, uint64_t cpu_ns) {
        turns->kind = TURN_OTHER;
        turns->uid = TURNS_NOBODY;
        turns->begun_ns = cpu_ns;
}

void turns_end(Turns *turns, uint64_t cpu_ns, uint64_t now_ns) {
        TurnTally *tally = &turns->tallies[turns->kind];
        const uint64_t took_ns = cpu_ns - turns->begun_ns;

        tally->n++;
        if (took_ns > tally->longest_ns)
                tally->longest_ns = took_ns;
        if (turns->uid != TURNS_NOBODY)
                turns_charge(turns, turns->uid, took_ns, now_ns);
        turns->ended_ns = now_ns;
}

void turns_note(Turns *turns, TurnKind kind, uid_t uid) {
        if (!turns)
                return;
        turns->kind = kind;
        turns->uid = uid;
}

int64_t turns_priority(const Turns *turns, uid_t uid) {
        return turns ? turns_rank(turns, uid, turns->ended_ns) : 0;
}
