/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/lockstep.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

LockstepPage *lockstep_page(const RunnerPlan *plan, SampleBlock *blocks) {
        return (LockstepPage *)(blocks + plan->n_sides);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
        (void)syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* Adds one to @word and wakes the process that waits for it. */
static void futex_step(_Atomic uint32_t *word) {
        atomic_fetch_add(word, 1);
        (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void lockstep_ask(LockstepPage *page, LockstepStep step) {
        const uint32_t n_done = atomic_load(&page->n_done);

        page->step = step;
        futex_step(&page->n_asked);
        while (atomic_load(&page->n_done) == n_done)
                futex_wait(&page->n_done, n_done);
}

LockstepStep lockstep_hear(LockstepPage *page, uint32_t n_done) {
        while (atomic_load(&page->n_asked) == n_done)
                futex_wait(&page->n_asked, n_done);
        return page->step;
}

void lockstep_answer(LockstepPage *page) {
        futex_step(&page->n_done);
}
