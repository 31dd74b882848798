/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * In which order the processes of a run go: in rounds of every benchmark once, shuffled anew each time, group by group, with
 * what counts allocations at the end of its group. Pure: the seed decides.
 */

#include <stdint.h>

typedef struct RunPlan RunPlan;

/*
 * Lays out the processes of @plan, of which each benchmark has its number, and draws the layout of their memory. Returns 0,
 * PLAN_E_TOO_MANY_SAMPLES, PLAN_E_TOO_MANY_PROCESSES, or a negative errno.
 */
int order_apply(RunPlan *plan, uint64_t seed);
