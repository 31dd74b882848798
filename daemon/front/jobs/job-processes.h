/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The processes of a job that has its tickets, one after the other: each module is listed, then inspected; a run then waits for its turns, and
 * in them the processes of its plan are run. After each the job goes on, or ends (job-end.h).
 */

#include "front/jobs/launch-link.h"

typedef struct Job Job;
typedef struct JobServices JobServices;

/* Asks the launcher @record, with descriptors that stay the caller's. No other question is open. Returns 0 or a negative errno. */
int job_processes_ask(Job *job, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer);

/* A place among the processes that list and inspect is the job's: asks for its process. */
void job_processes_examine(Job *job);

/* Every side has its ticket: lists the modules, or inspects the only one. */
void job_processes_begin(Job *job);

/* Its first or next turn has come, and the machine's clock is known. */
void job_processes_turn(Job *job);

/* A place for a runner may be free: all that found none ask again, or are handed round again. */
void job_processes_retry(JobServices *services);

/* The facts of the clock of @cpu, or of any CPU with -1; NULL until the launcher calibrated it. */
const ClockFacts *job_processes_clock(const JobServices *services, int cpu);
