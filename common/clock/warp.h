/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Agreement of two CPUs' time-stamp counters: a reading of one CPU must not be less than an earlier reading of the other.
 *
 * Two threads, one a CPU, take turns under a lock; each notes whether its reading is behind the last one, from either side. (This is the
 * test that Linux does when a CPU comes up, arch/x86/kernel/tsc_sync.c.) A reading behind makes every interval that begins on one CPU and
 * ends on the other wrong, and samples that migrated with it. A test in which the turns hardly ever changed hands shows nothing, so each
 * side waits a little for the other, and their number is told.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Warp {
        atomic_flag lock;
        uint64_t last_ticks;
        uint64_t largest_ticks;       /* step backwards; 0: none */
        _Atomic uint64_t n_handovers; /* readings that follow one of the other side */
        _Atomic int last_side;
} Warp;

/* Notes that @side read @ticks. Pure; the lock is the caller's. */
void warp_note(Warp *warp, int side, uint64_t ticks);

/*
 * Tests the calling thread's CPU against @cpu for @ms milliseconds once both run, on a busy machine for longer, by a second thread that
 * ends before this returns. Returns false if no thread could be started on that CPU; else *@ret_warp has the result.
 */
bool warp_test(int cpu, unsigned ms, Warp *ret_warp);

/* A thread that is on its CPU from its first instruction on. */

/* Starts @function with @argument on @cpu. Returns 0 or a positive errno: there is no such thread to be had, or not there. */
int warp_thread_start(int cpu, void *(*function)(void *argument), void *argument, pthread_t *ret_thread);
