/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/turns.h"

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
                precedence_charge(&turns->precedence, turns->uid, took_ns, now_ns);
        turns->ended_ns = now_ns;
}

void turns_note(Turns *turns, TurnKind kind, uid_t uid) {
        if (!turns)
                return;
        turns->kind = kind;
        turns->uid = uid;
}

int64_t turns_priority(const Turns *turns, uid_t uid) {
        return turns ? precedence_rank(&turns->precedence, uid, turns->ended_ns) : 0;
}
