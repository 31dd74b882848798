/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/runner-setup.h"

#include <string.h>
#include <unistd.h>

#include "launch/base/identity.h"
#include "launch/birth/zygote.h"
#include "launch/lease/describe.h"
#include "launch/lease/lease.h"

#define OUTFIT_RUN_TASKS       64u /* in addition to one for each CPU of the plan */
#define OUTFIT_MEMORY_QUARTERS 3u  /* of the machine's */

static void set_identity(const RunnerSetup *setup, const Identity *identity, RunnerPlan *plan) {
        plan->launcher_pid = getpid();
        plan->change_identity = setup->identities->privileged;
        plan->uid = identity->uid;
        plan->gid = identity->gid;
        plan->n_groups = identity->n_groups;
        memcpy(plan->groups, identity->groups, identity->n_groups * sizeof *plan->groups);
}

void runner_setup_complete(const RunnerSetup *setup, const Identity *identity, const LeaseSet *lent, RunnerPlan *plan) {
        const OpsCpu *known;

        plan->own_cpus = lent->n > 0 ? plan->own_cpus : 0;
        plan->n_threads = lent->n > plan->own_cpus ? lent->n - plan->own_cpus : 1;
        plan->options &= lent->n > 0 ? ~0u : ~(uint32_t)RUNNER_OPTION_UNPREPARED;
        plan->cpus[0] = setup->leases->housekeeping;
        for (size_t i = 0; i < lent->n; i++)
                plan->cpus[i] = lent->leases[i]->cpu;
        known = describe_find_cpu(setup->machine, plan->cpus[0]);
        plan->clock = known ? known->clock : (ClockFacts){};
        set_identity(setup, identity, plan);
}

RunGroupBounds runner_setup_bounds(const RunnerSetup *setup, const OpsSpawn *spawn) {
        const uint64_t memory_bytes = setup->machine->memory_bytes;

        return (RunGroupBounds){
                .memory_bytes = spawn->memory_max_bytes ? spawn->memory_max_bytes
                                                        : memory_bytes / 4 * OUTFIT_MEMORY_QUARTERS,
                .tasks = (spawn->tasks_max ? spawn->tasks_max : OUTFIT_RUN_TASKS) + runner_plan_n_cpus(&spawn->plan),
        };
}

uint64_t runner_setup_address_space_bytes(const RunnerSetup *setup, const OpsSpawn *spawn) {
        return spawn->address_space_max_bytes ? spawn->address_space_max_bytes : setup->machine->memory_bytes;
}

void runner_setup_birth(const RunnerSetup *setup, const RunnerPlan *plan, ZygoteBirth *ret_birth) {
        const Identities *identities = setup->identities;
        bool as_run = identities->privileged && plan->uid == identities->run.uid;

        *ret_birth = (ZygoteBirth){
                .cpu = plan->cpus[0],
                .environment_padding_bytes = plan->environment_padding_bytes,
                .counts = plan->mode == RUNNER_MODE_MEMORY,
                .fixed_layout = (plan->options & RUNNER_OPTION_NO_ASLR) != 0,
                .common_layout = plan->n_sides > 1 && !(plan->options & RUNNER_OPTION_NO_ASLR),
                .inspects = plan->mode == RUNNER_MODE_INSPECT,
                .sides = plan->n_sides,
                .works = plan->mode != RUNNER_MODE_CALIBRATE && plan->mode != RUNNER_MODE_INSPECT,
                .keeps = runner_plan_keeps(plan),
                .sees = *plan->seen[0] != '\0',
                .owner = { .other = plan->change_identity, .uid = plan->uid, .gid = plan->gid },
                .stack_bytes = runner_plan_stack_bytes(plan),
                .stack_asked = plan->asked.stack_bytes > 0,
                .address_space_bytes = setup->machine->memory_bytes,
                .tasks = as_run ? OUTFIT_RUN_TASKS + runner_plan_n_cpus(plan) : 0,
        };
        CPU_SET(plan->cpus[0], &ret_birth->cpus);
        for (uint32_t i = 0; i < plan->own_cpus; i++) /* threads that the body starts inherit these CPUs */
                CPU_SET(plan->cpus[plan->n_threads + i], &ret_birth->cpus);
        if (plan->options & RUNNER_OPTION_UNPREPARED) {
                ret_birth->cpu = -1;
                ret_birth->cpus = setup->leases->allowed;
        }
}
