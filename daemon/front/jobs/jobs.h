/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * All jobs that are under way: found, given their turns, and freed.
 *
 * Finished jobs are only marked; they are freed in one place, after each turn of the loop, so no caller is left holding a freed
 * pointer. The same sweep moves the queue, and that of the processes that list and inspect, which run beside the measured ones. One user has
 * at most JOBS_EXAMINATIONS_OF_USER of these at once, and the next place goes to the user who has the fewest, so modules that take long to
 * load keep no other user waiting.
 */

#include <stdbool.h>

#define JOBS_EXAMINATIONS_OF_USER 4u /* processes of one user that list or inspect, at once */

typedef struct Job Job;
typedef struct JobServices JobServices;

/* Makes the empty list and queue of @services, whose event loop and configuration are set. Returns 0 or a negative errno. */
int jobs_init(JobServices *services);
void jobs_clear(JobServices *services);

/* The job @run_id, if it was accepted and is not over. */
Job *jobs_find(const JobServices *services, const char *run_id);

/* True before the first CPU is calibrated: there is nothing to measure on. */
bool jobs_await_clock(const JobServices *services);

/*
 * Frees the finished jobs, and hands out the turns of the others. To be called after each turn of the loop, and again where
 * it returns true: that job was over at once.
 */
bool jobs_sweep(JobServices *services);
