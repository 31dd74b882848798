/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The measurement of a job: planned from what its modules hold, then told what each process left.
 */

typedef struct Job Job;
typedef struct OpsPacket OpsPacket;

/* Draws the seed, unless the request has one, and plans from the listings. Returns 0, PLAN_E_*, or a negative errno. */
int job_measurement_plan(Job *job);

/* Takes what the plan's next process left, by the @packet that tells its end. Returns 0 or a negative errno. */
int job_measurement_note(Job *job, const OpsPacket *packet);
