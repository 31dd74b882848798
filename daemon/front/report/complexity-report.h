/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Complexity report: the growth of a benchmark's time with its size. A benchmark with exactly one argument gets a fit
 * over its sizes (stats/complexity.h) for each number of threads. Sizes that failed, or were not measured completely,
 * are left out. Pure.
 */

#include "front/base/arena.h"
#include "front/plan/plan.h"
#include "proto/benchd.pb-c.h"

/*
 * Fills in the complexity of @result. @points_ns: the time of each benchmark of @plan; NaN: none. Returns 0 or a
 * negative errno.
 */
int complexity_report_fill(const Plan *plan, const double *points_ns, Arena *arena, Benchd__RunResult *result);
