/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Turns of the loop: the CPU time that the longest of each kind took. Nobody else is served meanwhile, so each stays short
 * whatever a client asks for; a status tells them.
 */

#include <stdint.h>

typedef enum TurnKind {
        TURN_OTHER, /* a timer, a signal, a word of the launcher */
        TURN_CONNECTION,
        TURN_REQUEST,
        TURN_PREPARING, /* a module is hashed or stored */
        TURN_CHOOSING,  /* names are matched with filters */
        TURN_PLANNING,
        TURN_LISTING,
        TURN_INSPECTION,
        TURN_SAMPLES,
        TURN_RESULT,
        TURN_HISTORY,
        TURN_SWEEP,
        _TURN_KINDS_N,
} TurnKind;

typedef struct TurnTally {
        uint64_t n;
        uint64_t longest_ns;
} TurnTally;

typedef struct Turns {
        TurnKind kind; /* of this turn, as it was noted last */
        uint64_t begun_ns;
        TurnTally tallies[_TURN_KINDS_N];
} Turns;

/* A turn begins, and ends, at @cpu_ns of the thread's CPU time. */
void turns_begin(Turns *turns, uint64_t cpu_ns);
void turns_end(Turns *turns, uint64_t cpu_ns);

/* Notes what this turn does; the last note counts. @turns may be NULL. */
void turns_note(Turns *turns, TurnKind kind);

/* The name of @kind in a status. */
const char *turn_kind_word(TurnKind kind);
