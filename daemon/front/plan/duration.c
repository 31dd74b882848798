/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/duration.h"

#include "front/plan/plan.h"
#include "util/time.h"

#define DURATION_BATCHES_MIN 5u
#define DURATION_SPAWN_NS    (30 * NS_PER_MS) /* around what is measured: fork, exec, load, end */
#define DURATION_BESIDE_NS   16000u           /* a batch that is sampled: ruler, probes, readings */

/* No budget makes fewer batches of the target's length than these: two to find it, and the least number of samples. */
static uint64_t schedule_least_ns(const RunnerSchedule *schedule) {
        return schedule->iterations > 0 || schedule->pace != RUNNER_PACE_SETTLED
                               ? 0
                               : DURATION_BATCHES_MIN * schedule->target_ns;
}

uint64_t schedule_expected_ns(const RunnerSchedule *schedule) {
        const bool multiplies = schedule->pace == RUNNER_PACE_LAST_STEP || schedule->pace == RUNNER_PACE_ALL_STEPS;
        const uint64_t least = schedule_least_ns(schedule);
        const uint64_t beside = schedule->pace == RUNNER_PACE_SETTLED ? DURATION_BESIDE_NS : 0;
        uint64_t sampling = (multiplies ? 2 : 1) * schedule->samples * (schedule->target_ns + beside);

        if (sampling < schedule->least_ns)
                sampling = schedule->least_ns;
        if (sampling > schedule->budget_ns)
                sampling = schedule->budget_ns;
        return DURATION_SPAWN_NS + schedule->warmup_min_ns + (sampling > least ? sampling : least);
}

/*
 * Finding the length, by doubling, ends with batches of up to twice the target; and on a core that is shared sampling may go on
 * when the budget has ended.
 */
uint64_t schedule_longest_ns(const RunnerSchedule *schedule) {
        return DURATION_SPAWN_NS + schedule->warmup_max_ns + schedule->budget_ns + schedule->quiet_ns +
               2 * schedule_least_ns(schedule);
}

uint64_t plan_expected_ns(const RunPlan *plan) {
        const bool cold = plan->options & RUNNER_OPTION_COLD;
        uint64_t expected_ns = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[i];
                const RunnerSchedule *schedule = &benchmark->schedule;

                expected_ns += (benchmark->processes_first + plan_counts(plan, benchmark)) *
                               (cold ? schedule_longest_ns(schedule) : schedule_expected_ns(schedule));
        }
        return expected_ns;
}
