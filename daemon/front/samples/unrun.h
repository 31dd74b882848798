/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Why a benchmark of a plan has no process: in the word and the sentence of a failure. Pure.
 */

typedef struct ProcessEnd ProcessEnd;
typedef struct PlanBenchmark PlanBenchmark;
typedef struct RunPlan RunPlan;

/* Says why @benchmark of @plan, which has no process, is not run. */
void unrun_explain(const RunPlan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_ending);
