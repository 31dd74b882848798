/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/plan.h"

#include "front/plan/duration.h"
#include "front/plan/effort.h"
#include "front/plan/order.h"
#include "front/plan/pairing.h"
#include "front/plan/selection.h"
#include "util/error.h"

static uint32_t plan_options(const Benchd__RunRequest *request) {
        const struct {
                bool asked;
                uint32_t option;
        } rows[] = {
                { request->has_cold && request->cold, RUNNER_OPTION_COLD },
                { request->has_no_prime && request->no_prime, RUNNER_OPTION_UNPRIMED },
                { request->has_no_aslr && request->no_aslr, RUNNER_OPTION_FIXED_LAYOUT },
                { request->has_trace && request->trace, RUNNER_OPTION_TRACE },
                { request->has_unprepared && request->unprepared, RUNNER_OPTION_UNPREPARED },
        };
        uint32_t options = 0;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                options |= rows[i].asked ? rows[i].option : 0;
        return options;
}

int run_plan_new(const PlanInput *input, const Benchd__RunRequest *request, uint64_t seed, RunPlan **ret_plan) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        int r;

        plan = calloc(1, sizeof *plan);
        if (!plan)
                return error_origin(-ENOMEM);
        plan->memory = request->has_memory && request->memory;
        plan->threads_max = input->threads_max;
        plan->options = plan_options(request);
        plan->n_sides = input->old ? RUNNER_SIDES_MAX : 1;
        effort_set_defaults(plan, request);

        r = selection_apply(plan, input->listing, request);
        if (r == 0 && input->old)
                r = pairing_apply(plan, input, request);
        if (r)
                return r;
        effort_set_processes(plan, request);
        r = order_apply(plan, seed);
        if (r)
                return r;
        plan->expected_ns = plan_expected_ns(plan);
        *ret_plan = take_pointer(plan);
        return 0;
}

RunPlan *run_plan_free(RunPlan *plan) {
        if (!plan)
                return NULL;
        free(plan->entries);
        free(plan->benchmarks);
        free(plan->processes);
        free(plan->unpaired);
        free(plan);
        return NULL;
}

bool plan_counts(const RunPlan *plan, const PlanBenchmark *benchmark) {
        return plan->memory && benchmark->processes > 0;
}
