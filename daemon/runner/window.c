/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/window.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ops/window.h"

static uint64_t now_ns(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* Nobody is there to grant or to read a result: the launcher is dead, and so is this run. */
static void window_say(Window *window, char word) {
        if (send(window->fd, &word, 1, MSG_NOSIGNAL) != 1)
                _exit(1);
}

static char window_hear(Window *window) {
        char word;

        if (recv(window->fd, &word, 1, 0) != 1)
                _exit(1);
        return word;
}

void window_close(Window *window) {
        if (!window->open)
                return;
        window->open = false;
        window_say(window, WINDOW_DONE);
}

bool window_ensure(Window *window, uint64_t need_ns) {
        if (window->fd < 0 || (window->open && now_ns() + need_ns <= window->end_ns))
                return true;

        window_close(window);
        if (need_ns > WINDOW_LENGTH_NS) {
                window->too_long = true;
                return true;
        }
        window_say(window, WINDOW_ASK);
        if (window_hear(window) == WINDOW_FIFO)
                window->n_fifo++;
        else
                window->n_other++;
        window->open = true;
        window->end_ns = now_ns() + WINDOW_LENGTH_NS;
        return false;
}
