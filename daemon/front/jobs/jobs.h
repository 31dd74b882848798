/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * All running jobs: finds them, gives them their turns, and frees them.
 *
 * Finished jobs are only marked; they are freed in one place, after each turn of the loop, so no caller is left holding a freed pointer.
 * The same sweep advances the queue of measured jobs, and the queue of processes that list and inspect, which run beside the measured ones.
 * A user has at most JOBS_EXAMINATIONS_OF_USER of these at once, and the next place goes to the user with the fewest, so modules that load
 * slowly do not delay other users.
 */

#include <stdbool.h>

#define JOBS_EXAMINATIONS_OF_USER 4u /* concurrent processes of one user that list or inspect */

typedef struct Job Job;
typedef struct JobServices JobServices;

/* Makes the empty list and queue of @services, whose event loop and configuration are set. Returns 0 or a negative errno. */
int jobs_init(JobServices *services);
void jobs_clear(JobServices *services);

/* Finds the accepted, unfinished job @run_id; NULL if there is none. */
Job *jobs_find(const JobServices *services, const char *run_id);

/* True until the first CPU is calibrated: nothing can be measured before. */
bool jobs_await_clock(const JobServices *services);

/*
 * Frees finished jobs and hands out turns. To be called after each turn of the loop, and again while it returns true: a job that got a turn
 * was over at once.
 */
bool jobs_sweep(JobServices *services);
