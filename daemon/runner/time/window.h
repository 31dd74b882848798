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
        uint64_t wait_ns; /* between asking and being granted, of all */
        bool too_long;    /* something did not fit any window */
        bool unwanted;    /* the body gives its CPU up by itself: none is to be open */
} Window;

/*
 * Makes sure that a window with at least @need_ns left is open; where none is that long, or none is wanted, that none is. True if nothing
 * had to be done for it: what ran before and what runs after stand next to each other.
 */
bool window_ensure(Window *window, uint64_t need_ns);

void window_close(Window *window);

/* Tells the launcher that thread @tid of this process takes part in every window from now on. */
void window_name_thread(pid_t tid);
