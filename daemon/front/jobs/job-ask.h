/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a job asks the launcher, one question at a time.
 */

#include "front/jobs/launch-link.h"

typedef struct Job Job;

/* Asks for the ticket of the side that is opened now. Returns 0 or a negative errno. */
int job_ask_ticket(Job *job, LaunchAnswer answer);

/* Asks for the process that the job needs next: the one that lists, or the next one of the plan. Returns 0 or a negative errno. */
int job_ask_process(Job *job, LaunchAnswer answer);
