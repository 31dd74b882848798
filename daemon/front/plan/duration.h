/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How long what is planned takes, about: to show, and at most: to be multiplied into a timeout. Pure.
 */

#include <stdint.h>

#include "ops/plan.h"

typedef struct RunPlan RunPlan;

/* A process with @schedule. */
uint64_t schedule_expected_ns(const RunnerSchedule *schedule);
uint64_t schedule_longest_ns(const RunnerSchedule *schedule);

/* The whole run: what starts cold each time ends by its budget. */
uint64_t plan_expected_ns(const RunPlan *plan);
