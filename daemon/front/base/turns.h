/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Turns of the loop: whose each was, and the CPU time that the longest of each kind took. Nobody else is served meanwhile, so each stays
 * short whatever a client asks for; a status tells them. Who has had much of the loop comes after who has had little.
 */

#include <stdint.h>
#include <sys/types.h>

#include "front/base/precedence.h"

#define TURNS_NOBODY ((uid_t)-1)

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
        uid_t uid;     /* whose it is, as it was noted last */
        uint64_t begun_ns;
        uint64_t ended_ns; /* the last one, in CLOCK_MONOTONIC */
        TurnTally tallies[_TURN_KINDS_N];
        Precedence precedence;
} Turns;

/* A turn begins, and ends, at @cpu_ns of the thread's CPU time, and at @now_ns. */
void turns_begin(Turns *turns, uint64_t cpu_ns);
void turns_end(Turns *turns, uint64_t cpu_ns, uint64_t now_ns);

/* Notes what this turn does, and for whom; the last note counts. @turns may be NULL. */
void turns_note(Turns *turns, TurnKind kind, uid_t uid);

/* The priority that an event of @uid has by now for sd-event, from 0, which goes first, to TURNS_LAST. @turns may be NULL. */
int64_t turns_priority(const Turns *turns, uid_t uid);

#define TURNS_LAST (PRECEDENCE_RANKS - 1)

/* The name of @kind in a status. */
const char *turn_kind_word(TurnKind kind);
