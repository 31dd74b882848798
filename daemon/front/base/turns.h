/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Turns of the event loop: which user each one served, who goes next, and the longest CPU time by kind. A turn blocks all other clients, so
 * each must stay short whatever a client asks for; the status shows the longest ones.
 *
 * The CPU time that the loop spends on a user is charged to that user and halves every TURNS_HALF_NS. A user with less charge goes first,
 * and equal users alternate; so no user can block the loop for others, with however many connections, and a single user gets all of it.
 * This is decay usage scheduling, as Unix had it for processes (Hellerstein, Achieving Service Rate Objectives with Decay Usage Scheduling,
 * IEEE Transactions on Software Engineering 19, 1993). Pure.
 */

#include <stdint.h>
#include <sys/types.h>

#define TURNS_NOBODY  ((uid_t)-1)
#define TURNS_RANKS   9u
#define TURNS_LAST    (TURNS_RANKS - 1)
#define TURNS_HALF_NS UINT64_C(100000000)
#define TURNS_USERS   64u

typedef enum TurnKind {
        TURN_OTHER, /* a timer, a signal, a record from the launcher */
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

/* A user's charge at a time. */
typedef struct TurnsUser {
        uid_t uid;
        uint64_t used_ns; /* CPU time; 0: the slot is free */
        uint64_t at_ns;
} TurnsUser;

typedef struct Turns {
        TurnKind kind; /* of this turn, by the last note */
        uid_t uid;     /* user of this turn, by the last note */
        uint64_t begun_ns;
        uint64_t ended_ns; /* the last one, in CLOCK_MONOTONIC */
        TurnTally tallies[_TURN_KINDS_N];
        TurnsUser users[TURNS_USERS]; /* with the highest charges; all zero: none yet */
} Turns;

/*
 * Begin and end a turn at @cpu_ns of the thread's CPU time and @now_ns, which must be monotonic. The turn is charged to its user; when the
 * table is full, the user with the least charge is dropped.
 */
void turns_begin(Turns *turns, uint64_t cpu_ns);
void turns_end(Turns *turns, uint64_t cpu_ns, uint64_t now_ns);

/* Notes the kind and the user of this turn; the last note counts. @turns may be NULL. */
void turns_note(Turns *turns, TurnKind kind, uid_t uid);

/*
 * The sd-event priority of events of @uid since the last turn: a rank from 0, which goes first, to TURNS_LAST. Each rank means twice the
 * charge of the rank before. @turns may be NULL.
 */
int64_t turns_priority(const Turns *turns, uid_t uid);

/* The name of @kind in a status. */
const char *turn_kind_word(TurnKind kind);
