/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Turns of the loop: whose each was, whose comes next, and the CPU time that the longest of each kind took. Nobody else is served
 * meanwhile, so each stays short whatever a client asks for; a status tells them.
 *
 * The CPU time that the loop spends on a user is charged to that user, and fades by half in TURNS_HALF_NS. A user with less of it goes before
 * one with more, and users alike take turns; so nobody can keep the loop from others, with however many connections, and a user who is alone
 * has all of it. This is decay usage scheduling, as Unix had it for processes (Hellerstein, Achieving Service Rate Objectives with Decay
 * Usage Scheduling, IEEE Transactions on Software Engineering 19, 1993). Pure.
 */

#include <stdint.h>
#include <sys/types.h>

#define TURNS_NOBODY  ((uid_t)-1)
#define TURNS_RANKS   9u
#define TURNS_LAST    (TURNS_RANKS - 1)
#define TURNS_HALF_NS UINT64_C(100000000)
#define TURNS_USERS   64u

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

/* The use of a user, as it was at some time. */
typedef struct TurnsUser {
        uid_t uid;
        uint64_t used_ns; /* CPU time; 0: nobody */
        uint64_t at_ns;
} TurnsUser;

typedef struct Turns {
        TurnKind kind; /* of this turn, as it was noted last */
        uid_t uid;     /* whose it is, as it was noted last */
        uint64_t begun_ns;
        uint64_t ended_ns; /* the last one, in CLOCK_MONOTONIC */
        TurnTally tallies[_TURN_KINDS_N];
        TurnsUser users[TURNS_USERS]; /* those who used most of late; all zero: nobody used anything */
} Turns;

/*
 * A turn begins, and ends, at @cpu_ns of the thread's CPU time, and at @now_ns, which never goes back. It is charged to its user; with too
 * many users, who has used least is forgotten.
 */
void turns_begin(Turns *turns, uint64_t cpu_ns);
void turns_end(Turns *turns, uint64_t cpu_ns, uint64_t now_ns);

/* Notes what this turn does, and for whom; the last note counts. @turns may be NULL. */
void turns_note(Turns *turns, TurnKind kind, uid_t uid);

/*
 * The priority for sd-event that an event of @uid has since the last turn: its rank, from 0, which goes first, to TURNS_LAST. A rank is
 * twice the use of the one before. @turns may be NULL.
 */
int64_t turns_priority(const Turns *turns, uid_t uid);

/* The name of @kind in a status. */
const char *turn_kind_word(TurnKind kind);
