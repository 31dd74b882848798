/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Windows: stretches of at most 400 ms in which the launcher lets a runner have SCHED_FIFO.
 *
 * The kernel throttles a FIFO task that spins for 950 ms of a second, for the rest of it, which would stretch a sample
 * two hundred times; staying below that costs nothing. The runner asks for a window and blocks; the launcher grants it;
 * the runner reports when it is done. Before the first window, a runner with several threads names all but its first
 * thread, in the order of the CPUs in its plan. Words have a fixed size and use a pipe, answers are single bytes on
 * another pipe: a socket could carry descriptors, and closing an untrusted one can take for ever.
 */

#include <stdint.h>

#define WINDOW_LENGTH_NS 400000000ull

/* From the runner. */
typedef struct WindowWord {
        uint32_t kind;   /* WINDOW_* */
        uint32_t thread; /* for WINDOW_THREAD: its kernel id */
} WindowWord;

#define WINDOW_ASK    'a'
#define WINDOW_DONE   'd'
#define WINDOW_THREAD 't'

/* From the launcher: a window with SCHED_FIFO, or without it if that is not allowed or not possible. */
#define WINDOW_FIFO  'f'
#define WINDOW_OTHER 'o'
