/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Precedence: whose turn of the loop comes first. The CPU time that the loop spends on a user is charged to that user, and fades by half
 * in PRECEDENCE_HALF_NS. A user with less of it goes before one with more, and users alike take turns; so nobody can keep the loop from
 * others, with however many connections, and who is alone has all of it.
 *
 * This is decay usage scheduling, as Unix had it for processes (Hellerstein, Achieving Service Rate Objectives with Decay Usage
 * Scheduling, IEEE Transactions on Software Engineering 19, 1993). Pure.
 */

#include <stdint.h>
#include <sys/types.h>

#define PRECEDENCE_RANKS   9u
#define PRECEDENCE_HALF_NS UINT64_C(100000000)
#define PRECEDENCE_USERS   64u

/* The use of a user, as it was at some time. */
typedef struct PrecedenceUser {
        uid_t uid;
        uint64_t used_ns; /* CPU time; 0: nobody */
        uint64_t at_ns;
} PrecedenceUser;

/* Those who used most of late. All zero: nobody used anything. */
typedef struct Precedence {
        PrecedenceUser users[PRECEDENCE_USERS];
} Precedence;

/* Charges @uid with @cpu_ns at @now_ns, which never goes back. With too many users, who has used least is forgotten. */
void precedence_charge(Precedence *precedence, uid_t uid, uint64_t cpu_ns, uint64_t now_ns);

/* The rank of @uid at @now_ns: from 0, which goes first, to PRECEDENCE_RANKS - 1. A rank is twice the use of the one before. */
unsigned precedence_rank(const Precedence *precedence, uid_t uid, uint64_t now_ns);
