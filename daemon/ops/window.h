/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Windows: stretches of at most 400 ms in which the launcher lets a runner have SCHED_FIFO.
 *
 * The kernel throws a FIFO task that spins for 950 ms out of every second off its CPU for the rest, which would stretch a
 * sample two hundred times; a limit of our own below it costs nothing. The runner asks for a window and blocks; the
 * launcher grants it; the runner says when it is done. Each of the three is one byte on one of two pipes: a socket could
 * carry descriptors, and closing a stranger's can take as long as the stranger likes.
 */

#define WINDOW_LENGTH_NS 400000000ull

/* From the runner. */
#define WINDOW_ASK  'a'
#define WINDOW_DONE 'd'

/* From the launcher: with SCHED_FIFO, or without it where it may not or cannot be had. */
#define WINDOW_FIFO  'f'
#define WINDOW_OTHER 'o'
