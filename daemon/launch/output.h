/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Output: what a module prints, in a memfd that is its standard output and error.
 *
 * A file takes all that is written, at the price of a file, and still has it when the process is dead: a pipe would block the benchmark
 * where nobody reads, and wake the reader beside it. It is cut short now and then, while the module prints: the last RUNNER_OUTPUT_MAX bytes
 * stay. They have the message before a crash. The module never sees an end of space, unless it prints RUNNER_FILE_MAX bytes within
 * OUTPUT_TRIM_MS.
 *
 * A write locks the file for as long as its bytes take to come, which the module decides: they may lie in a file that nobody delivers. So
 * the launcher only reads, without that lock; whoever cuts the file short waits in a process of its own.
 */

#include <stdbool.h>

#define OUTPUT_TRIM_MS 100u

/* Makes an empty one. Returns 0 or a negative errno. */
int output_new(int *ret_fd);

/* True if it has grown so long that it is to be trimmed. Never waits. */
bool output_is_long(int fd);

/*
 * Shortens one to its last bytes; printing goes on after them. A line printed at that very moment may be lost. A failure leaves it as it
 * is. Waits for whoever is printing.
 */
void output_trim(int fd);

/*
 * After the last word, makes a file that nobody else has: of at most RUNNER_OUTPUT_MAX bytes, and exactly so many where some are missing.
 * Never waits. Returns 0 or a negative errno.
 */
int output_settle(int fd, int *ret_settled_fd);
