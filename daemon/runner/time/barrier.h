/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A barrier: nobody goes on before all members have come.
 *
 * Two ways to wait. One spins on a word that is written once, when the last member comes: who waits so goes on within
 * the time that a cache line takes from one core to the other, which is what a batch begins with. The other spins for a
 * moment and then sleeps: for what may take long. The kernel counts how long a thread at SCHED_FIFO goes without
 * sleeping and kills it over its limit, so that between windows everybody must.
 *
 * Who will never come breaks it, once and for all: everybody else goes on at once, and is told.
 * (Sense reversal: Mellor-Crummey and Scott, Algorithms for scalable synchronization, ACM TOCS 9(1), 1991, 3.1; the
 * sense here counts the rounds.)
 */

#include <stdbool.h>
#include <stdint.h>

#define BARRIER_FOREVER_NS UINT64_MAX

enum {
        _BARRIER_E_SUCCESS,

        BARRIER_E_BROKEN, /* somebody will not come */
        BARRIER_E_ALONE,  /* not all came within the given time; of no further use */
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
