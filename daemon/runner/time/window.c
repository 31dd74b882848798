/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/window.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "ops/runner-plan.h"
#include "ops/window.h"
#include "runner/load/own-descriptors.h"
#include "runner/watch/report.h"
#include "util/time.h"

#define WINDOW_LOOKS   2000u
#define WINDOW_LOOK_NS 50000

/* If the pipes are intact but have no reader, the launcher is dead, and this run is useless. */
static void window_say(uint32_t kind, uint32_t thread) {
        const WindowWord word = { .kind = kind, .thread = thread };

        if (!own_descriptors_are_whole())
                report_abandon(RUNNER_END_DESCRIPTORS);
        if (write(RUNNER_FD_ASK, &word, sizeof word) != sizeof word)
                _exit(1);
}

static char window_hear(void) {
        char word;

        if (read(RUNNER_FD_ANSWER, &word, 1) != 1)
                _exit(1);
        return word;
}

void window_close(Window *window) {
        if (!window->open)
                return;
        window->open = false;
        window_say(WINDOW_DONE, 0);
}

void window_name_thread(pid_t tid) {
        window_say(WINDOW_THREAD, tid);
}

/* The launcher takes SCHED_FIFO back some time later, without a message, so the policy is checked a few times. */
static bool window_leave(Window *window) {
        if (!window->open)
                return true;
        window_close(window);
        for (unsigned i = 0; i < WINDOW_LOOKS && (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO; i++)
                (void)nanosleep(&(struct timespec){ .tv_nsec = WINDOW_LOOK_NS }, NULL);
        return false;
}

bool window_ensure(Window *window, uint64_t need_ns) {
        uint64_t asked_ns;

        if (window->alone)
                return true;
        if (window->unwanted)
                return window_leave(window);
        if (window->open && time_monotonic_ns() + need_ns <= window->end_ns)
                return true;

        window_close(window);
        if (need_ns > WINDOW_LENGTH_NS) {
                window->too_long = true;
                return true;
        }
        asked_ns = time_monotonic_ns();
        window_say(WINDOW_ASK, 0);
        if (window_hear() == WINDOW_FIFO)
                window->n_fifo++;
        else
                window->n_other++;
        window->open = true;
        window->end_ns = time_monotonic_ns() + WINDOW_LENGTH_NS;
        window->wait_ns += window->end_ns - WINDOW_LENGTH_NS - asked_ns;
        return false;
}
