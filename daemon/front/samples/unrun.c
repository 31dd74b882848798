/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/unrun.h"

#include <inttypes.h>
#include <stdio.h>

#include "front/plan/plan.h"
#include "front/samples/process-end.h"

static void explain_unknown_method(const RunPlan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_ending) {
        char names[METHOD_NAMES_MAX];

        *ret_ending = (ProcessEnd){ .code = "method" };
        snprintf(ret_ending->message, sizeof ret_ending->message, "It asks for the method '%s'; there are: %s.",
                        plan->entries[benchmark->entry].method, method_names(names));
}

static void explain_refused_option(const PlanBenchmark *benchmark, ProcessEnd *ret_ending) {
        *ret_ending = (ProcessEnd){ .code = "method" };
        snprintf(ret_ending->message, sizeof ret_ending->message,
                        "It asks for the method %s, which does not take --%s.", benchmark->method->name,
                        benchmark->refused);
}

static void explain_too_many_threads(const RunPlan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_ending) {
        *ret_ending = (ProcessEnd){ .code = "threads" };
        snprintf(ret_ending->message, sizeof ret_ending->message,
                        "It asks for %" PRIu32 " threads; this machine can lend at most %" PRIu32 " CPU%s.",
                        benchmark->threads, plan->threads_max, plan->threads_max == 1 ? "" : "s");
}

void unrun_explain(const RunPlan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_ending) {
        if (!benchmark->method)
                explain_unknown_method(plan, benchmark, ret_ending);
        else if (benchmark->refused)
                explain_refused_option(benchmark, ret_ending);
        else
                explain_too_many_threads(plan, benchmark, ret_ending);
}
