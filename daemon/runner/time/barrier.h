/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A barrier: no member continues before all have arrived.
 *
 * There are two ways to wait. One spins on a word that is written once, when the last member arrives: the others
 * continue as soon as the cache line gets to their core, which is how a batch begins. The other spins for a moment and
 * then sleeps, for waits that may be long. The kernel kills a thread that stays at SCHED_FIFO for too long without
 * sleeping, so between windows every member must sleep.
 *
 * A member that will never arrive breaks the barrier for good: all others continue at once, with E_BROKEN. (Sense
 * reversal: Mellor-Crummey and Scott, Algorithms for scalable synchronization, ACM TOCS 9(1), 1991, 3.1; the sense here
 * counts the rounds.)
 */

#include <stdbool.h>
#include <stdint.h>

#define BARRIER_FOREVER_NS UINT64_MAX

enum {
        _BARRIER_E_SUCCESS,

        BARRIER_E_BROKEN, /* a member will not arrive */
        BARRIER_E_ALONE,  /* not all arrived in time; the barrier is unusable now */
};

typedef struct Barrier {
        uint32_t n_members;
        _Alignas(64) _Atomic uint32_t n_arrived;
        _Alignas(64) _Atomic uint32_t round;
        _Atomic uint32_t n_asleep;
        _Atomic bool broken;
} Barrier;

/* @n_members is 1 or more. */
void barrier_init(Barrier *barrier, uint32_t n_members);

/* Waits for all, sleeping after a moment, for at most about @patience_ns. Returns 0, E_BROKEN, or E_ALONE. */
int barrier_wait(Barrier *barrier, uint64_t patience_ns);

/* Waits for all without sleeping. Returns 0 or E_BROKEN. */
int barrier_spin(Barrier *barrier);

void barrier_break(Barrier *barrier);
