/* SPDX-License-Identifier: MIT */
#include "clock/warp.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "clock/tick.h"

int warp_thread_start(int cpu, void *(*function)(void *argument), void *argument, pthread_t *ret_thread) {
        pthread_attr_t attributes;
        cpu_set_t set;
        int r;

        if (cpu < 0 || cpu >= CPU_SETSIZE)
                return EINVAL;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        r = pthread_attr_init(&attributes);
        if (r)
                return r;
        r = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
        if (r == 0)
                r = pthread_create(ret_thread, &attributes, function, argument);
        pthread_attr_destroy(&attributes);
        return r;
}

#define WARP_TURN     200u  /* looks at whether the other side took its turn */
#define WARP_PATIENCE 20u   /* times as long as the test, until both sides ran side by side on a busy machine */
#define WARP_ROUND    1000u /* readings between two looks at the time */
#define WARP_ENOUGH   100u  /* handovers: fewer show nothing */

void warp_note(Warp *warp, int side, uint64_t ticks) {
        if (warp->last_ticks > ticks && warp->last_ticks - ticks > warp->largest_ticks)
                warp->largest_ticks = warp->last_ticks - ticks;
        warp->n_handovers += side != warp->last_side;
        warp->last_side = side;
        warp->last_ticks = ticks;
}

static void warp_round(Warp *warp, int side) {
        for (unsigned i = 0; i < WARP_ROUND; i++) {
                while (atomic_flag_test_and_set_explicit(&warp->lock, memory_order_acquire))
                        __builtin_ia32_pause();
                warp_note(warp, side, tick_start());
                atomic_flag_clear_explicit(&warp->lock, memory_order_release);
                for (unsigned j = 0; j < WARP_TURN && warp->last_side == side; j++)
                        __builtin_ia32_pause();
        }
}

typedef struct WarpTurns {
        Warp warp;
        atomic_bool began;
        atomic_bool over;
} WarpTurns;

static void *warp_other_side(void *argument) {
        WarpTurns *turns = argument;

        atomic_store(&turns->began, true);
        while (!atomic_load(&turns->over))
                warp_round(&turns->warp, 1);
        return NULL;
}

static uint64_t now_ms(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

bool warp_test(int cpu, unsigned ms, Warp *ret_warp) {
        WarpTurns turns = { .warp = { .lock = ATOMIC_FLAG_INIT } };
        pthread_t thread;
        uint64_t end, patience;

        if (warp_thread_start(cpu, warp_other_side, &turns, &thread) != 0)
                return false;
        patience = now_ms() + WARP_PATIENCE * ms;
        while (!atomic_load(&turns.began) && now_ms() < patience)
                sched_yield();
        end = now_ms() + ms;
        do
                warp_round(&turns.warp, 0);
        while (now_ms() < end || (turns.warp.n_handovers < WARP_ENOUGH && now_ms() < patience));
        atomic_store(&turns.over, true);
        pthread_join(thread, NULL);
        if (turns.warp.n_handovers < WARP_ENOUGH)
                return false;
        *ret_warp = turns.warp;
        return true;
}
