/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/spawning.h"

#include "launch/run/runner-setup.h"
#include "launch/run/runners.h"
#include "launch/trust/ticket.h"
#include "util/cpu-list.h"

/* ---- what it is to have */

static int spawning_refuse(const OpsRecord *request, OpsRefusal reason, OpsRecord *ret_answer) {
        *ret_answer = ops_refusal(request->serial, reason, 0);
        return SPAWNING_E_REFUSED;
}

/* Both sides must belong to one client, and their libraries fit one process. */
static bool spawning_find_tickets(Spawning *spawning) {
        const OpsSpawn *spawn = &spawning->request->spawn;
        const Ticket *one = tickets_find(spawning->config->tickets, spawn->ticket);
        const Ticket *other = tickets_find(spawning->config->tickets, spawn->other_ticket);

        spawning->tickets[0] = one;
        spawning->tickets[1] = other;
        if (spawn->other_ticket == 0)
                return one;
        return one && other && one->identity.uid == other->identity.uid &&
               one->n_libraries + other->n_libraries <= RUNNER_LIBRARIES_MAX;
}

/* Waiting is useless if only the death of an unkillable process would free the CPUs. */
static bool spawning_refuse_stuck(const Spawning *spawning, OpsRecord *ret_answer) {
        const Leases *leases = spawning->config->leases;
        const OpsSpawn *spawn = &spawning->request->spawn;
        cpu_set_t within = CPU_COUNT(&spawn->cpus) > 0 ? spawn->cpus : leases->allowed;
        OpsStuck stuck[OPS_STUCK_MAX];
        const size_t n = runners_describe_stuck(spawning->config->runners, stuck, OPS_STUCK_MAX);

        for (size_t i = 0; i < n; i++)
                cpu_set_subtract(&within, &stuck[i].cpus);
        if (n == 0 || leases_could_lend(leases, runner_plan_n_cpus(&spawn->plan), &within))
                return false;
        *ret_answer = ops_refusal(spawning->request->serial, OPS_REFUSAL_STUCK, stuck[0].pid);
        ret_answer->refused.cpus = stuck[0].cpus;
        return true;
}

/* CPUs that can never be leased are refused with the reason; for CPUs in use, benchd is to ask again. */
static int spawning_refuse_lease(const Spawning *spawning, int outcome, OpsRecord *ret_answer) {
        static const OpsCpusRefusal reasons[] = {
                [CHOICE_E_MISSING] = OPS_CPUS_MISSING,
                [CHOICE_E_OFFLINE] = OPS_CPUS_OFFLINE,
                [CHOICE_E_NOT_LEASABLE] = OPS_CPUS_NOT_ALLOWED,
                [CHOICE_E_HOUSEKEEPING] = OPS_CPUS_HOUSEKEEPING,
                [CHOICE_E_TOO_FEW] = OPS_CPUS_TOO_FEW,
        };
        const Leases *leases = spawning->config->leases;
        const OpsSpawn *spawn = &spawning->request->spawn;
        const ChoiceWish wish = { .within = &spawn->cpus, .n = runner_plan_n_cpus(&spawn->plan) };

        if (outcome == CHOICE_E_BUSY && spawning_refuse_stuck(spawning, ret_answer))
                return SPAWNING_E_REFUSED;
        if (outcome == CHOICE_E_BUSY)
                return spawning_refuse(spawning->request, OPS_REFUSAL_BUSY, ret_answer);
        if (outcome == LEASES_E_UNCALIBRATED)
                return spawning_refuse(spawning->request, OPS_REFUSAL_UNCALIBRATED, ret_answer);
        if (CPU_COUNT(&spawn->cpus) == 0)
                return spawning_refuse(spawning->request, OPS_REFUSAL_PLAN, ret_answer);
        *ret_answer = ops_refusal(spawning->request->serial, OPS_REFUSAL_CPUS, 0);
        ret_answer->refused.why = reasons[outcome];
        choice_blame(leases->topology, &leases->pool, &wish, outcome, &ret_answer->refused.cpus);
        return SPAWNING_E_REFUSED;
}

int spawning_prepare(const SpawningConfig *config, const OpsRecord *request, Spawning *ret_spawning,
                OpsRecord *ret_answer) {
        const OpsSpawn *spawn = &request->spawn;
        const bool any = CPU_COUNT(&spawn->cpus) == 0;
        Spawning spawning = { .config = config, .request = request };
        int r;

        if (!spawning_find_tickets(&spawning))
                return spawning_refuse(request, OPS_REFUSAL_TICKET, ret_answer);
        if (!runners_have_place(config->runners))
                return spawning_refuse(request, OPS_REFUSAL_BUSY, ret_answer);
        if (spawn->plan.mode == RUNNER_MODE_RUN) {
                r = leases_take(config->leases, runner_plan_n_cpus(&spawn->plan), any ? NULL : &spawn->cpus,
                                &spawning.leases);
                if (r > 0)
                        return spawning_refuse_lease(&spawning, r, ret_answer);
        }
        *ret_spawning = spawning;
        return 0;
}

/* ---- its birth */

static RunnerPlan spawning_plan(const Spawning *spawning) {
        RunnerPlan plan = spawning->request->spawn.plan;

        for (uint32_t i = 0; i < plan.n_sides; i++)
                plan.sides[i].n_libraries = spawning->tickets[i]->n_libraries;
        plan.n_inputs = spawning->tickets[0]->n_inputs;
        runner_setup_complete(spawning->config->setup, &spawning->tickets[0]->identity, &spawning->leases, &plan);
        return plan;
}

void spawning_start(Spawning *spawning, OpsRecord *ret_answer) {
        const OpsRecord *request = spawning->request;
        const RunnerPlan plan = spawning_plan(spawning);
        ProcessConfig config = {
                .ended = spawning->config->ended,
                .freed = spawning->config->freed,
                .userdata = spawning->config->userdata,
                .serial = request->serial,
                .timeout_ns = request->spawn.timeout_ns,
                .plan = &plan,
                .ticket = spawning->tickets[0],
                .other_ticket = spawning->tickets[1],
                .leases = spawning->leases,
                .caged = spawning->config->require_cpuset,
        };
        int r;

        config.bounds = runner_setup_bounds(spawning->config->setup, &request->spawn);
        runner_setup_birth(spawning->config->setup, &plan, &config.birth);
        config.birth.address_space_bytes = runner_setup_address_space_bytes(spawning->config->setup, &request->spawn);
        r = runners_start(spawning->config->runners, &config);
        if (r) {
                *ret_answer = ops_refusal(request->serial, OPS_REFUSAL_SYSTEM, -r);
                return;
        }
        runners_note_company(spawning->config->runners);
        *ret_answer = (OpsRecord){
                .kind = OPS_STARTED,
                .serial = request->serial,
                .started = { .process = config.id, .cpu = plan.cpus[0] },
        };
        for (uint32_t i = 0; i < runner_plan_n_cpus(&plan); i++)
                CPU_SET(plan.cpus[i], &ret_answer->started.cpus);
}
