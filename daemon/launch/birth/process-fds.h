/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The descriptors of one runner: the ends that stay with the launcher, and those that it is born with.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/runner-plan.h"

typedef struct Ticket Ticket;

/* The ends that stay here. Pipes never block at these ends. */
typedef struct ProcessFds {
        int ask;    /* words from the runner */
        int answer; /* to it */
        int block;
        int output;
} ProcessFds;

#define PROCESS_FDS_NULL                                                                                               \
 { .ask = -1, .answer = -1, .block = -1, .output = -1 }

/* Its own ends, and its plan: closed here once it is born. */
typedef struct ProcessNewbornFds {
        int plan;
        int ask;
        int answer;
} ProcessNewbornFds;

#define PROCESS_NEWBORN_FDS_NULL                                                                                       \
 { .plan = -1, .ask = -1, .answer = -1 }

/*
 * Makes them for a runner with @plan. Both arguments are null before; what was made until a failure is the caller's to close.
 * Returns 0 or a negative errno.
 */
int process_fds_make(const RunnerPlan *plan, ProcessFds *fds, ProcessNewbornFds *theirs);
void process_fds_close(ProcessFds *fds);
void process_fds_close_newborn(ProcessNewbornFds *theirs);

/*
 * Writes what it is born with into @fds of ZYGOTE_FDS_MAX, in the order of zygote.h: with the module and the libraries of each
 * of @tickets, one a side; NULL for a side that there is not; then the inputs of the first. Returns how many.
 */
size_t process_fds_gather(const ProcessFds *ours, const ProcessNewbornFds *theirs,
                const Ticket *const tickets[static RUNNER_SIDES_MAX], int *fds);

/*
 * Output: what a module prints, in a memfd that is its standard output and error.
 *
 * A file takes all that is written, at the price of a file, and still has it when the process is dead: a pipe would block the benchmark
 * where nobody reads, and wake the reader beside it. It is cut short now and then, while the module prints: the last RUNNER_OUTPUT_MAX bytes
 * stay. They have the message before a crash. The module never sees an end of space, unless it prints RUNNER_FILE_MAX bytes within
 * PROCESS_OUTPUT_TRIM_MS.
 *
 * A write locks the file for as long as its bytes take to come, which the module decides: they may lie in a file that nobody delivers. So
 * the launcher only reads, without that lock; whoever cuts the file short waits in a process of its own.
 */

#define PROCESS_OUTPUT_TRIM_MS 100u

/* Makes an empty one. Returns 0 or a negative errno. */
int process_output_new(int *ret_fd);

/* True if it has grown so long that it is to be trimmed. Never waits. */
bool process_output_is_long(int fd);

/*
 * Shortens one to its last bytes; printing goes on after them. A line printed at that very moment may be lost. A failure leaves it as it
 * is. Waits for whoever is printing.
 */
void process_output_trim(int fd);

/*
 * After the last word, makes a file that nobody else has: of at most RUNNER_OUTPUT_MAX bytes, and exactly so many where some are missing.
 * Never waits. Returns 0 or a negative errno.
 */
int process_output_settle(int fd, int *ret_settled_fd);
