/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/plan.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool string_ended(const char *text, size_t n) {
        return memchr(text, 0, n);
}

static bool schedule_valid(const RunnerSchedule *schedule, uint32_t n_threads) {
        return schedule->target_ns > 0 && schedule->samples >= 1 &&
               schedule->samples <= RUNNER_SAMPLES_MAX / n_threads &&
               schedule->warmup_min_ns <= schedule->warmup_max_ns && schedule->budget_ns > 0;
}

/* The last string must end before the array does, so that an empty one closes the list. */
static bool environment_valid(const char environment[static RUNNER_ENVIRONMENT_MAX]) {
        return environment[RUNNER_ENVIRONMENT_MAX - 1] == 0 &&
               (environment[0] == 0 || environment[RUNNER_ENVIRONMENT_MAX - 2] == 0);
}

static bool counters_valid(const ClockFacts *clock) {
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (!isfinite(clock->counter_cost[i]))
                        return false;
        return (clock->counters & ~_COUNTERS) == 0;
}

static bool clock_valid(const ClockFacts *clock) {
        return isfinite(clock->hz) && clock->hz >= 0 && isfinite(clock->error_ppm) && isfinite(clock->quantum_ticks) &&
               clock->quantum_ticks >= 0 && isfinite(clock->batch_cost_ticks) && isfinite(clock->pause_cost_ticks) &&
               isfinite(clock->ruler_cost_ticks) && isfinite(clock->ruler_check) && isfinite(clock->pair_cost_ticks) &&
               clock->ruler_turns <= RUNNER_RULER_TURNS_MAX && clock->source < _CLOCK_SOURCE_N && counters_valid(clock);
}

int runner_plan_check(const RunnerPlan *plan) {
        if (plan->magic != RUNNER_PLAN_MAGIC || plan->version != RUNNER_PLAN_VERSION)
                return RUNNER_PLAN_E_INVALID;
        if (plan->mode < RUNNER_MODE_LIST || plan->mode >= _RUNNER_MODE_N)
                return RUNNER_PLAN_E_INVALID;
        if (plan->n_threads < 1 || plan->n_threads > RUNNER_THREADS_MAX || (plan->options & ~_RUNNER_OPTIONS))
                return RUNNER_PLAN_E_INVALID;
        if (plan->n_groups > RUNNER_GROUPS_MAX || plan->n_args > RUNNER_ARGS_MAX ||
                        plan->n_libraries > RUNNER_LIBRARIES_MAX)
                return RUNNER_PLAN_E_INVALID;
        if (plan->stack_offset_bytes >= RUNNER_STACK_OFFSET_MAX || plan->stack_offset_bytes % 16 ||
                        plan->environment_padding_bytes >= RUNNER_PADDING_MAX)
                return RUNNER_PLAN_E_INVALID;
        if (!string_ended(plan->area, sizeof plan->area) || !string_ended(plan->benchmark, sizeof plan->benchmark) ||
                        !environment_valid(plan->environment) || !clock_valid(&plan->clock))
                return RUNNER_PLAN_E_INVALID;
        if ((plan->mode == RUNNER_MODE_RUN || plan->mode == RUNNER_MODE_MEMORY) &&
                        !schedule_valid(&plan->schedule, plan->n_threads))
                return RUNNER_PLAN_E_INVALID;
        return 0;
}
