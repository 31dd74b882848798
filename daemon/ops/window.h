/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Windows: stretches of at most 400 ms in which the launcher lets a runner have SCHED_FIFO.
 *
 * The kernel throws a FIFO task that spins for 950 ms out of every second off its CPU for the rest, which would stretch a
 * sample two hundred times; a limit of our own below it costs nothing. The runner asks for a window and blocks; the
 * launcher grants it; the runner says when it is done. Before the first, a runner of several threads names all but its
 * first one, in the order of the CPUs in its plan. Its words are of one size and on a pipe, the answers single
 * bytes on another: a socket could carry descriptors, and closing a stranger's can take as long as the stranger likes.
 */

#include <stdint.h>

#define WINDOW_LENGTH_NS 400000000ull

/* From the runner. */
typedef struct WindowWord {
        uint32_t kind;   /* WINDOW_* */
        uint32_t thread; /* of WINDOW_THREAD: its id as the kernel has it */
} WindowWord;

#define WINDOW_ASK    'a'
#define WINDOW_DONE   'd'
#define WINDOW_THREAD 't'

/* From the launcher: with SCHED_FIFO, or without it where it may not or cannot be had. */
#define WINDOW_FIFO  'f'
#define WINDOW_OTHER 'o'
