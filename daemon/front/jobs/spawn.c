/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/spawn.h"

#include <stdio.h>
#include <string.h>

#include "front/base/config.h"
#include "front/jobs/job-modules.h"
#include "front/plan/asked.h"
#include "util/cleanup.h"
#include "util/time.h"

#define SPAWN_WARMUP_FIRST_NS (20 * NS_PER_MS)

SpawnJob spawn_job_of(const JobModules *modules, const Benchd__RunRequest *run, const Config *config) {
        const ModuleRequest *new = &modules->sides[0].wants, *old = &modules->sides[1].wants;

        return (SpawnJob){
                .tickets = { modules->sides[0].ticket, modules->sides[1].ticket },
                .run = run,
                .timeout_max_ns = config->timeout_max_s * NS_PER_S,
                .listing_timeout_ns = config->listing_timeout_s * NS_PER_S,
                .memory_max_bytes = config->memory_max_bytes,
                .tasks_max = run && run->n_commands > 0 ? config->command_tasks_max : config->tasks_max,
                .address_space_max_bytes = config->address_space_max_bytes,
                .module_names = { new->name, old->name },
                .library_names = { new->library_names, old->library_names },
                .n_libraries = { new->n_libraries, old->n_libraries },
                .n_preloaded = { new->n_preloaded, old->n_preloaded },
                .environment = new->environment,
                .n_environment = new->n_environment,
        };
}

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

/* The files of @side of @job, that of @to of @plan, whose libraries follow the @n that are there. Returns how many there are then. */
static size_t spawn_set_files(RunnerPlan *plan, size_t to, const SpawnJob *job, size_t side, size_t n) {
        if (job->module_names[side])
                runner_plan_module_name(job->module_names[side], plan->sides[to].module_name);
        plan->n_preloaded[to] = job->n_preloaded[side];
        for (size_t i = 0; i < job->n_libraries[side] && n < RUNNER_LIBRARIES_MAX; i++)
                snprintf(plan->library_names[n++], RUNNER_LIBRARY_NAME_MAX, "%s", job->library_names[side][i]);
        return n;
}

/* The wishes of @run that hold for each of its processes, the one that lists among them. */
static void spawn_set_run(RunnerPlan *plan, const Benchd__RunRequest *run) {
        plan->asked = asked_numbers(run);
        for (size_t i = 0; i < run->n_input_names && i < RUNNER_INPUTS_MAX; i++)
                snprintf(plan->input_names[i], sizeof plan->input_names[i], "%s", run->input_names[i]);
        for (size_t i = 0; i < run->n_seen && i < RUNNER_SEEN_MAX; i++)
                snprintf(plan->seen[i], sizeof plan->seen[i], "%s", run->seen[i]);
}

static void spawn_init(const SpawnJob *job, RunnerMode mode, uint64_t timeout_ns, OpsRecord *ret_record) {
        memset(ret_record, 0, sizeof *ret_record);
        ret_record->kind = OPS_SPAWN;
        ret_record->spawn.ticket = job->tickets[0];
        ret_record->spawn.timeout_ns = timeout_ns < OPS_TIMEOUT_MAX_NS ? timeout_ns : OPS_TIMEOUT_MAX_NS;
        ret_record->spawn.memory_max_bytes = job->memory_max_bytes;
        ret_record->spawn.tasks_max = job->tasks_max;
        ret_record->spawn.address_space_max_bytes = job->address_space_max_bytes;
        ret_record->spawn.plan.magic = RUNNER_PLAN_MAGIC;
        ret_record->spawn.plan.version = RUNNER_PLAN_VERSION;
        ret_record->spawn.plan.mode = mode;
        ret_record->spawn.plan.n_threads = 1;
        ret_record->spawn.plan.n_sides = 1;
        spawn_set_environment(&ret_record->spawn.plan, job);
        if (job->run)
                spawn_set_run(&ret_record->spawn.plan, job->run);
}

void spawn_list(const SpawnJob *job, size_t side, OpsRecord *ret_record) {
        spawn_init(job, RUNNER_MODE_LIST, job->listing_timeout_ns, ret_record);
        ret_record->spawn.ticket = job->tickets[side];
        spawn_set_files(&ret_record->spawn.plan, 0, job, side, 0);
}

void spawn_inspect(const SpawnJob *job, size_t side, const char *benchmark, OpsRecord *ret_record) {
        const char *slash = benchmark ? strchr(benchmark, '/') : NULL;
        RunnerSide *named = &ret_record->spawn.plan.sides[0];

        spawn_init(job, RUNNER_MODE_INSPECT, SPAWN_INSPECT_TIMEOUT_NS, ret_record);
        ret_record->spawn.ticket = job->tickets[side];
        if (slash)
                snprintf(named->area, sizeof named->area, "%.*s", (int)(slash - benchmark), benchmark);
        if (benchmark)
                snprintf(named->benchmark, sizeof named->benchmark, "%s", slash ? slash + 1 : benchmark);
}

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

uint64_t spawn_timeout_ns(const RunnerSchedule *schedule, uint64_t asked_ns, uint64_t max_ns) {
        uint64_t ten_times = 10 * plan_schedule_longest_ns(schedule);

        if (asked_ns > 0)
                return least_of(asked_ns, max_ns);
        return least_of(ten_times > SPAWN_TIMEOUT_MIN_NS ? ten_times : SPAWN_TIMEOUT_MIN_NS, max_ns);
}

/* The first process of a run, or after turns of others, wakes the core up for those behind it, unless how long is given. */
static void schedule_warm_up_first(RunnerSchedule *schedule) {
        if (schedule->warmup_min_ns < schedule->warmup_max_ns && schedule->warmup_min_ns < SPAWN_WARMUP_FIRST_NS)
                schedule->warmup_min_ns = least_of(SPAWN_WARMUP_FIRST_NS, schedule->warmup_max_ns);
}

static void spawn_set_side(RunnerSide *side, const char *area, const char *name, const PlanEntry *entry,
                const PlanBenchmark *benchmark) {
        memcpy(side->area, area, sizeof side->area);
        memcpy(side->benchmark, name, sizeof side->benchmark);
        memcpy(side->args, benchmark->args, sizeof side->args);
        side->n_args = entry->n_args;
}

void spawn_run(const SpawnJob *job, const Plan *plan, const PlanProcess *process, OpsRecord *ret_record) {
        const PlanBenchmark *benchmark = &plan->benchmarks[process->benchmark];
        const PlanEntry *entry = &plan->entries[benchmark->entry];
        const Benchd__RunRequest *run = job->run;
        RunnerPlan *runner = &ret_record->spawn.plan;
        size_t n_names;

        spawn_init(job, process->counts ? RUNNER_MODE_MEMORY : RUNNER_MODE_RUN,
                        spawn_timeout_ns(&benchmark->schedule, run->timeout_ns, job->timeout_max_ns), ret_record);
        snprintf(runner->directory, sizeof runner->directory, "%s", run->directory ? run->directory : "");
        for (size_t i = 0; i < run->n_cpus; i++)
                CPU_SET(run->cpus[i], &ret_record->spawn.cpus);
        runner->schedule = benchmark->schedule;
        if (process->first || job->after_others)
                schedule_warm_up_first(&runner->schedule);
        runner->options = benchmark->options;
        runner->n_threads = process->counts ? 1 : benchmark->threads;
        runner->own_cpus = process->counts ? 0 : benchmark->cpus - benchmark->threads;
        runner->stack_offset_bytes = process->stack_offset_bytes;
        runner->environment_padding_bytes = process->environment_padding_bytes;
        for (uint32_t i = 0; i < plan->n_sides; i++) {
                runner->sides[i].heap_offset_bytes = process->heap_offset_bytes;
                runner->sides[i].image_offset_bytes = process->image_offset_bytes;
                runner->sides[i].link = process->link;
        }
        spawn_set_side(&runner->sides[0], entry->area, entry->name, entry, benchmark);
        n_names = spawn_set_files(runner, 0, job, 0, 0);
        if (plan->n_sides == 1)
                return;
        ret_record->spawn.other_ticket = job->tickets[1];
        runner->n_sides = plan->n_sides;
        runner->mapping_offset_pages = process->mapping_offset_pages;
        runner->heap_offset_pages = process->heap_offset_pages;
        runner->first_side = process->first_side;
        spawn_set_side(&runner->sides[1], entry->old.area, entry->old.name, entry, benchmark);
        spawn_set_files(runner, 1, job, 1, n_names);
}
