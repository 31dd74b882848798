/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/spawn.h"

#include <string.h>

#include "util/cleanup.h"

static void spawn_set_environment(RunnerPlan *plan, const SpawnJob *job) {
        size_t at = 0;

        for (size_t i = 0; i < job->n_environment; i++) {
                size_t n = strlen(job->environment[i]) + 1;

                if (at + n >= sizeof plan->environment)
                        return;
                memcpy(plan->environment + at, job->environment[i], n);
                at += n;
        }
}

static void spawn_init(const SpawnJob *job, RunnerMode mode, uint64_t timeout_ns, OpsRecord *ret_record) {
        memset(ret_record, 0, sizeof *ret_record);
        ret_record->kind = OPS_SPAWN;
        ret_record->spawn.ticket = job->ticket;
        ret_record->spawn.timeout_ns = timeout_ns < OPS_TIMEOUT_MAX_NS ? timeout_ns : OPS_TIMEOUT_MAX_NS;
        ret_record->spawn.plan.magic = RUNNER_PLAN_MAGIC;
        ret_record->spawn.plan.version = RUNNER_PLAN_VERSION;
        ret_record->spawn.plan.mode = mode;
        ret_record->spawn.plan.n_threads = 1;
        spawn_set_environment(&ret_record->spawn.plan, job);
}

void spawn_list(const SpawnJob *job, OpsRecord *ret_record) {
        spawn_init(job, RUNNER_MODE_LIST, job->listing_timeout_ns, ret_record);
}

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

uint64_t spawn_timeout_ns(const RunnerSchedule *schedule, uint64_t asked_ns, uint64_t max_ns) {
        uint64_t ten_times = 10 * schedule_longest_ns(schedule);

        if (asked_ns > 0)
                return least_of(asked_ns, max_ns);
        return least_of(ten_times > SPAWN_TIMEOUT_MIN_NS ? ten_times : SPAWN_TIMEOUT_MIN_NS, max_ns);
}

void spawn_run(const SpawnJob *job, const RunPlan *plan, const PlanProcess *process, OpsRecord *ret_record) {
        const PlanBenchmark *benchmark = &plan->benchmarks[process->benchmark];
        const PlanEntry *entry = &plan->entries[benchmark->entry];
        RunnerPlan *runner = &ret_record->spawn.plan;

        spawn_init(job, process->counts ? RUNNER_MODE_MEMORY : RUNNER_MODE_RUN,
                        spawn_timeout_ns(&benchmark->schedule, job->timeout_ns, job->timeout_max_ns), ret_record);
        for (size_t i = 0; i < job->n_cpus; i++)
                CPU_SET(job->cpus[i], &ret_record->spawn.cpus);
        runner->schedule = benchmark->schedule;
        runner->options = plan->options;
        runner->n_threads = process->counts ? 1 : benchmark->threads;
        runner->n_args = entry->n_args;
        memcpy(runner->args, benchmark->args, sizeof runner->args);
        runner->stack_offset_bytes = process->stack_offset_bytes;
        runner->environment_padding_bytes = process->environment_padding_bytes;
        memcpy(runner->area, entry->area, sizeof runner->area);
        memcpy(runner->benchmark, entry->name, sizeof runner->benchmark);
}
