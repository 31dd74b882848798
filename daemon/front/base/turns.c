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
        turns->begun_ns = cpu_ns;
}

void turns_end(Turns *turns, uint64_t cpu_ns) {
        TurnTally *tally = &turns->tallies[turns->kind];
        const uint64_t took_ns = cpu_ns - turns->begun_ns;

        tally->n++;
        if (took_ns > tally->longest_ns)
                tally->longest_ns = took_ns;
}

void turns_note(Turns *turns, TurnKind kind) {
        if (turns)
                turns->kind = kind;
}
