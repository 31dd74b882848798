/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/barrier.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BARRIER_TURNS    10000u /* of spinning: a few hundred microseconds */
#define BARRIER_NS_PER_S 1000000000u

void barrier_init(Barrier *barrier, uint32_t n_members) {
        *barrier = (Barrier){ .n_members = n_members };
}

static void barrier_wake(Barrier *barrier) {
        if (atomic_load(&barrier->n_asleep) > 0)
                syscall(SYS_futex, &barrier->round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps until @round is over, for at most @patience_ns. False on time-out. */
static bool barrier_sleep(Barrier *barrier, uint32_t round, uint64_t patience_ns) {
        const struct timespec limit = {
                .tv_sec = patience_ns / BARRIER_NS_PER_S,
                .tv_nsec = patience_ns % BARRIER_NS_PER_S,
        };
        long r;

        atomic_fetch_add(&barrier->n_asleep, 1);
        r = syscall(SYS_futex, &barrier->round, FUTEX_WAIT_PRIVATE, round,
                        patience_ns == BARRIER_FOREVER_NS ? NULL : &limit, NULL, 0);
        r = r < 0 ? -errno : 0;
        atomic_fetch_sub(&barrier->n_asleep, 1);
        return r != -ETIMEDOUT;
}

/* Counts this member. True if it was the last, which releases the others. */
static bool barrier_arrive(Barrier *barrier) {
        if (atomic_fetch_add(&barrier->n_arrived, 1) + 1 < barrier->n_members)
                return false;
        atomic_store(&barrier->n_arrived, 0);
        atomic_fetch_add(&barrier->round, 1);
        barrier_wake(barrier);
        return true;
}

/* Spins for at most @n_turns while @round lasts. True if it is over. */
static bool barrier_is_over(Barrier *barrier, uint32_t round, unsigned n_turns) {
        for (unsigned i = 0; i < n_turns; i++) {
                if (atomic_load_explicit(&barrier->round, memory_order_acquire) != round)
                        return true;
                __builtin_ia32_pause();
        }
        return false;
}

static int barrier_outcome(const Barrier *barrier) {
        return atomic_load(&barrier->broken) ? BARRIER_E_BROKEN : 0;
}

int barrier_wait(Barrier *barrier, uint64_t patience_ns) {
        uint32_t round = atomic_load(&barrier->round);

        if (barrier_outcome(barrier) || barrier_arrive(barrier))
                return barrier_outcome(barrier);
        while (!barrier_is_over(barrier, round, BARRIER_TURNS))
                if (!barrier_sleep(barrier, round, patience_ns))
                        return BARRIER_E_ALONE;
        return barrier_outcome(barrier);
}

/* A spinning member that shares its CPU may keep off the very member that it waits for, so it yields. */
int barrier_spin(Barrier *barrier) {
        uint32_t round = atomic_load(&barrier->round);

        if (barrier_outcome(barrier) || barrier_arrive(barrier))
                return barrier_outcome(barrier);
        while (!barrier_is_over(barrier, round, BARRIER_TURNS))
                sched_yield();
        return barrier_outcome(barrier);
}

void barrier_break(Barrier *barrier) {
        atomic_store(&barrier->broken, true);
        atomic_fetch_add(&barrier->round, 1);
        barrier_wake(barrier);
}
