/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/runners.h"

#include "launch/base/say.h"
#include "launch/birth/run-group.h"
#include "launch/birth/stray.h"
#include "launch/lease/equipment.h"
#include "launch/lease/machine-lease.h"
#include "launch/trust/front-link.h"
#include "ops/receiver.h"
#include "util/cleanup.h"
#include "util/error.h"

_Static_assert(RUNNERS_MAX <= WORKPLACES_MAX, "each runner has a place to work");

#define RUNNERS_PATIENCE_MS    50u
#define RUNNERS_SWEEP_DELAY_US 1000000u
#define RUNNERS_DEATH_MS       1000u /* for runs killed with their front-end: the next one finds a clean machine */

/* ---- places */

static Runner *runners_place(Runners *runners, const Process *process) {
        for (size_t i = 0; i < RUNNERS_MAX; i++)
                if (runners->places[i].process == process)
                        return &runners->places[i];
        return NULL;
}

bool runners_have_place(Runners *runners) {
        return runners_place(runners, NULL);
}

Process *runners_find(Runners *runners, uint64_t id) {
        for (size_t i = 0; i < RUNNERS_MAX; i++)
                if (runners->places[i].process && process_id(runners->places[i].process) == id)
                        return runners->places[i].process;
        return NULL;
}

/* ---- what is left behind */

static int runners_on_sweep(sd_event_source *source, uint64_t usec, void *userdata);

/*
 * Kills children that the launcher did not start. One that cannot be reaped at once, because it is traced from outside,
 * is tried again.
 */
static void runners_sweep(Runners *runners, unsigned patience_ms) {
        pid_t known[3 * RUNNERS_MAX + FRONT_RECEIVER_PIDS_MAX + 3];
        size_t n = front_receiver_pids(runners->config.receiver, known);

        known[n++] = receiver_closer_pid(runners->config.closer);
        known[n++] = runners->config.front_pid;
        known[n++] = runners->config.zygote->pid;
        for (size_t i = 0; i < RUNNERS_MAX; i++)
                if (runners->places[i].process) {
                        known[n++] = process_pid(runners->places[i].process);
                        known[n++] = process_other_pid(runners->places[i].process);
                        known[n++] = process_first_pid(runners->places[i].process);
                }
        runners->sweep_source = sd_event_source_disable_unref(runners->sweep_source);
        if (!stray_kill(known, n, patience_ms))
                (void)sd_event_add_time_relative(runners->config.event, &runners->sweep_source, CLOCK_MONOTONIC,
                                RUNNERS_SWEEP_DELAY_US, 0, runners_on_sweep, runners);
}

static int runners_on_sweep(sd_event_source *source, uint64_t usec, void *userdata) {
        runners_sweep(userdata, 0);
        return 0;
}

static void runners_on_unended(void *userdata) {
        runners_sweep(userdata, 0);
}

static void runners_remove_group(Runners *runners, RunGroup *group) {
        if (run_groups_remove(runners->config.equipment->groups, group) < 0)
                say(SD_WARNING, "a runner's control group could not be removed");
}

void runners_sweep_after(Runners *runners, Process *process) {
        runners_sweep(runners, RUNNERS_PATIENCE_MS);
        if (!process_stuck_pid(process))
                runners_remove_group(runners, process_group(process));
}

/* ---- birth */

/* The cpuset has the CPUs of the runner's threads; an unprepared process has no cpuset. */
static int runners_make_group(Runners *runners, bool prepares, ProcessConfig *config) {
        RunGroupBounds bounds = config->bounds;
        cpu_set_t cpus = {};
        int r;

        config->groups = runners->config.equipment->groups;
        if (config->plan->mode == RUNNER_MODE_CALIBRATE) /* it runs no code of a submitter */
                return 0;
        for (uint32_t i = 0; i < runner_plan_n_cpus(config->plan); i++)
                CPU_SET(config->plan->cpus[i], &cpus);
        bounds.cpus = prepares ? &cpus : NULL;
        r = run_groups_make(config->groups, config->id, &bounds, &config->group);
        if (r)
                return error_trace(r);
        run_group_files(&config->group, config->birth.groups);
        config->birth.bounds_memory = run_group_number(&config->group, RUN_GROUP_MEMORY);
        return 0;
}

/*
 * Without a group, a limit of the user bounds the tasks. It is worse: it counts all tasks of the user on this machine, so the number of all
 * present tasks is added.
 */
static void runners_limit_tasks(ProcessConfig *config) {
        if (config->group.outcomes[RUN_GROUP_TASKS] == OPS_OUTCOME_APPLIED)
                config->birth.tasks = 0;
        else if (config->birth.tasks == 0 && config->bounds.tasks > 0)
                config->birth.tasks = stray_count_tasks() + config->bounds.tasks;
}

static int runners_bear(Runners *runners, bool prepares, ProcessConfig *config, Runner *runner) {
        int r;

        r = runners_make_group(runners, prepares, config);
        if (r)
                return error_trace(r);
        runners_limit_tasks(config);
        r = process_new(config, &runner->process);
        if (r) { /* it may have been started all the same */
                runners_sweep(runners, RUNNERS_PATIENCE_MS);
                runners_remove_group(runners, &config->group);
        }
        return error_fold(r);
}

/* Frees the place and the resources that went with it. */
static void runners_vacate(Runners *runners, Runner *runner, LeaseSet *leases) {
        (void)zygote_clear(runners->config.zygote, runner - runners->places);
        if (runner->tuned)
                machine_lease_end(runners->config.equipment->machine_lease);
        *runner = (Runner){};
        leases_give_back(runners->config.leases, leases);
}

int runners_start(Runners *runners, ProcessConfig *config) {
        const RunnerPlan *plan = config->plan;
        const bool prepares = plan->mode != RUNNER_MODE_CALIBRATE && !(plan->options & RUNNER_OPTION_UNPREPARED);
        Runner *runner = runners_place(runners, NULL);
        int r;

        config->event = runners->config.event;
        config->zygote = runners->config.zygote;
        config->root = runners->config.equipment->root;
        config->sweep = runners_on_unended;
        config->sweep_userdata = runners;
        config->id = ++runners->last_id;
        config->birth.place = runner - runners->places;
        runner->tuned = prepares && config->leases.n > 0;
        if (runner->tuned)
                machine_lease_begin(runners->config.equipment->machine_lease, &config->leases.reserved);
        r = runners_bear(runners, prepares, config, runner);
        if (r)
                runners_vacate(runners, runner, &config->leases);
        return error_fold(r);
}

void runners_note_company(Runners *runners) {
        for (size_t i = 0; i < RUNNERS_MAX; i++) {
                Runner *runner = &runners->places[i];

                if (runner->process && process_leases(runner->process)->n > 0)
                        runner->shared_caches |=
                                        leases_shared_caches(runners->config.leases, process_leases(runner->process));
        }
}

/* ---- end */

void runners_lose_cpu(Runners *runners, int cpu) {
        for (size_t i = 0; i < RUNNERS_MAX; i++)
                if (runners->places[i].process)
                        process_lose_cpu(runners->places[i].process, cpu);
}

void runners_describe_end(Runners *runners, Process *process, OpsEnded *ret_ended) {
        const Runner *runner = runners_place(runners, process);
        const LeaseSet *leases = process_leases(process);

        process_describe_end(process, ret_ended);
        if (!runner->tuned)
                return;
        ret_ended->shared_caches = runner->shared_caches;
        machine_lease_describe(runners->config.equipment->machine_lease, &leases->reserved, leases->isolated,
                        ret_ended);
}

void runners_let_go(Runners *runners, Process *process) {
        RunGroup group = *process_group(process);

        runners_vacate(runners, runners_place(runners, process), process_leases(process));
        process_free(process);
        run_groups_end(runners->config.equipment->groups, &group, RUNNERS_DEATH_MS);
        runners_remove_group(runners, &group);
}

/* The runner no longer measures, so nothing needs to be kept quiet for it. */
void runners_leave_stuck(Runners *runners, Process *process) {
        Runner *runner = runners_place(runners, process);

        if (runner->tuned)
                machine_lease_end(runners->config.equipment->machine_lease);
        runner->tuned = false;
}

size_t runners_describe_stuck(const Runners *runners, OpsStuck *ret_stuck, size_t max) {
        size_t n = 0;

        for (size_t i = 0; i < RUNNERS_MAX && n < max; i++) {
                Process *process = runners->places[i].process;

                if (!process || !process_stuck_pid(process))
                        continue;
                ret_stuck[n++] = (OpsStuck){
                        .pid = process_stuck_pid(process),
                        .cpus = process_leases(process)->reserved,
                };
        }
        return n;
}

void runners_end(Runners *runners) {
        for (size_t i = 0; i < RUNNERS_MAX; i++) {
                Process *process = runners->places[i].process;

                if (process && process_mode(process) != RUNNER_MODE_CALIBRATE && !process_stuck_pid(process))
                        runners_let_go(runners, process);
        }
        runners_sweep(runners, RUNNERS_PATIENCE_MS);
}

/* ---- life */

void runners_init(Runners *runners, const RunnersConfig *config) {
        *runners = (Runners){ .config = *config };
}

void runners_clear(Runners *runners) {
        for (size_t i = 0; i < RUNNERS_MAX; i++)
                runners->places[i].process = process_free(runners->places[i].process);
        runners_sweep(runners, RUNNERS_PATIENCE_MS);
        runners->sweep_source = sd_event_source_disable_unref(runners->sweep_source);
}
