/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From a batch that was run to the sample that is kept of it, and to the time that it took without what it cost to time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RunnerPlan RunnerPlan;
typedef struct Sample Sample;
typedef struct Team Team;

/*
 * The sample of the last batch of @member of @team, without what the detectors that are @switched_off (DETECTOR_*) say, and what the probes
 * say unless they are @probed.
 */
Sample record_sample(const RunnerPlan *plan, const Team *team, size_t member, uint32_t switched_off, bool probed);

/* The time inside the last batch of the member that took longest: without pauses, and the cost of a batch. */
uint64_t record_longest_ticks(const RunnerPlan *plan, const Team *team);
