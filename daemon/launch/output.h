/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Output: what a module prints, in a memfd that is its standard output and error.
 *
 * A file takes all that is written, at the price of a file, and still has it when the process is dead: a pipe would block the benchmark
 * where nobody reads, and wake the reader beside it. The launcher shares the position in that file, so it cuts it short now and then, while
 * the module prints: the last RUNNER_OUTPUT_MAX bytes stay. They have the message before a crash. The module never sees an end of space,
 * unless it prints RUNNER_FILE_MAX bytes within OUTPUT_TRIM_MS.
 */

#define OUTPUT_TRIM_MS 100u

/* Makes an empty one. Returns 0 or a negative errno. */
int output_new(int *ret_fd);

/*
 * Shortens a long one to its last bytes; printing goes on after them. What is printed at that very moment may be lost. A failure leaves it
 * as it is.
 */
void output_trim(int fd);

/* After the last word: the file has at most RUNNER_OUTPUT_MAX bytes then, and exactly so many where some are missing. */
void output_settle(int fd);
