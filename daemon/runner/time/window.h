/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runner's side of windows (ops/window.h): ask, block, be granted; say when done.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Window {
        bool alone; /* there is no launcher to ask */
        bool open;
        uint64_t end_ns; /* of CLOCK_MONOTONIC */
        uint32_t n_fifo;
        uint32_t n_other;
        uint64_t wait_ns; /* from requests to grants, over all windows */
        bool too_long;    /* something did not fit into a window */
        bool unwanted;    /* the body gives up its CPU by itself, so no window shall be open */
} Window;

/*
 * Makes sure that a window with at least @need_ns left is open, or that none is if windows are too short or unwanted. True if nothing had
 * to be done, so what runs next directly follows what ran before.
 */
bool window_ensure(Window *window, uint64_t need_ns);

void window_close(Window *window);

/* Makes thread @tid of this process take part in every window from now on. */
void window_name_thread(pid_t tid);
