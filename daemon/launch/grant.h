/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * When a CPU may have its next window of SCHED_FIFO (ops/window.h). Pure: `now` comes in.
 *
 * The kernel lets real-time tasks have 950 ms of a second and then throws them off. Windows of at most 400 ms, each
 * followed by a ninth of itself without one, stay under nine tenths over any second, so that never happens.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct Grant {
        bool open;
        uint64_t begun_ns;
        uint64_t next_ns; /* no window before */
} Grant;

/* How long from @now_ns until a window may begin. */
uint64_t grant_wait_ns(const Grant *grant, uint64_t now_ns);

/* Begins a window; returns when it must end. */
uint64_t grant_begin(Grant *grant, uint64_t now_ns);

/* Ends the window; nothing if none is open. */
void grant_end(Grant *grant, uint64_t now_ns);
