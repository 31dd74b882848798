/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The descriptors of one runner: the ends that stay with the launcher, and those that it is born with.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/runner-plan.h"

typedef struct Ticket Ticket;

/* The launcher's ends. Pipes never block at these ends. */
typedef struct ProcessFds {
        int ask;    /* words from the runner */
        int answer; /* to it */
        int block;
        int output;
} ProcessFds;

#define PROCESS_FDS_NULL                                                                                               \
 { .ask = -1, .answer = -1, .block = -1, .output = -1 }

/* The runner's ends and its plan: closed here once it is born. */
typedef struct ProcessNewbornFds {
        int plan;
        int ask;
        int answer;
} ProcessNewbornFds;

#define PROCESS_NEWBORN_FDS_NULL                                                                                       \
 { .plan = -1, .ask = -1, .answer = -1 }

/*
 * Makes the descriptors of a runner with @plan. Both arguments are null before; on failure the caller closes what was made.
 * Returns 0 or a negative errno.
 */
int process_fds_make(const RunnerPlan *plan, ProcessFds *fds, ProcessNewbornFds *theirs);
void process_fds_close(ProcessFds *fds);
void process_fds_close_newborn(ProcessNewbornFds *theirs);

/*
 * Writes the descriptors that the runner is born with into @fds of ZYGOTE_FDS_MAX, in the order of zygote.h: with the module
 * and the libraries of each of @tickets, one per side (NULL: no such side), then the inputs of the first. Returns their
 * number.
 */
size_t process_fds_gather(const ProcessFds *ours, const ProcessNewbornFds *theirs,
                const Ticket *const tickets[static RUNNER_SIDES_MAX], int *fds);

/*
 * Output: what a module prints, in a memfd that is its standard output and error.
 *
 * A file takes everything that is written, at the cost of a file, and outlives the process. A full pipe would block the benchmark, and each
 * write would wake a reader beside it. While the module prints, the file is cut to its last RUNNER_OUTPUT_MAX bytes now and then: they have
 * the message before a crash. The module never runs out of space, unless it prints RUNNER_FILE_MAX bytes within PROCESS_OUTPUT_TRIM_MS.
 *
 * A write locks the file until its bytes have been read from the module's memory, which may take for ever: it may be mapped from a file
 * that a server never delivers. So the launcher only reads, without that lock; a separate process waits for it and cuts the file.
 */

#define PROCESS_OUTPUT_TRIM_MS 100u

/* Makes an empty output. Returns 0 or a negative errno. */
int process_output_new(int *ret_fd);

/* True if the output is long enough to be trimmed. Never waits. */
bool process_output_is_long(int fd);

/*
 * Cuts the output to its last bytes; printing goes on after them. A line printed at that very moment may be lost. A failure changes
 * nothing. Waits for a write in progress.
 */
void process_output_trim(int fd);

/*
 * After the last write, copies the output to a file that no other process has open: at most RUNNER_OUTPUT_MAX bytes, and exactly that
 * many if the beginning is missing. Never waits. Returns 0 or a negative errno.
 */
int process_output_settle(int fd, int *ret_settled_fd);
