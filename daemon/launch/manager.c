/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "launch/clock-keeper.h"
#include "launch/cpuset.h"
#include "launch/describe.h"
#include "launch/equipment.h"
#include "launch/lease.h"
#include "launch/process.h"
#include "launch/stray.h"
#include "launch/ticket.h"
#include "launch/tuner.h"
#include "ops/sample-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define MANAGER_PROCESSES_MAX          32u
#define MANAGER_CALIBRATION_TIMEOUT_NS 10000000000ull
#define MANAGER_PATIENCE_MS            50u
#define MANAGER_SWEEP_DELAY_US         1000000u
#define MANAGER_RUN_TASKS              64u /* of the user that owns nothing */

/* What is known of a process beside what it knows itself. */
typedef struct ManagerNote {
        bool tuned;             /* the machine is switched for it */
        uint32_t shared_caches; /* with others that measured meanwhile: levels, as bits */
} ManagerNote;

struct Manager {
        ManagerConfig config;
        int front_fd;
        sd_event_source *front_source;
        Tickets tickets;
        OpsMachine machine;
        ClockKeeper clock;
        bool calibrates;
        uint64_t last_process;
        sd_event_source *sweep_source;
        sd_event_source *zygote_source;
        Process *processes[MANAGER_PROCESSES_MAX];
        ManagerNote notes[MANAGER_PROCESSES_MAX]; /* in the same places */
};

DEFINE_CLEANUP(Manager *, manager_free)

/* ---- to the front-end */

/* A front-end that is gone, or does not read, is noticed where it is read from. */
static int manager_send(Manager *manager, const OpsRecord *record, const int *fds, size_t n_fds) {
        int r;

        if (manager->front_fd < 0)
                return 0;
        r = ops_send(manager->front_fd, record, fds, n_fds);
        if (r == OPS_E_CLOSED || r == OPS_E_AGAIN) {
                shutdown(manager->front_fd, SHUT_RDWR);
                return 0;
        }
        return error_fold(r);
}

static int manager_refuse(Manager *manager, uint64_t serial, OpsRefusal reason, int error) {
        OpsRecord record = {
                .kind = OPS_REFUSED,
                .serial = serial,
                .refused = { .reason = reason, .error = error },
        };

        return manager_send(manager, &record, NULL, 0);
}

static int manager_send_machine(Manager *manager) {
        OpsRecord record = { .kind = OPS_MACHINE };

        manager->machine.threads_max = leases_most(manager->config.leases);
        record.machine = manager->machine;
        return manager_send(manager, &record, NULL, 0);
}

/* Sends what the machine tells now, if looking at the clock changed it. */
static int manager_refine(Manager *manager) {
        return clock_keeper_look(&manager->clock, &manager->machine) ? manager_send_machine(manager) : 0;
}

/* ---- processes */

static Process **manager_place(Manager *manager, const Process *process) {
        for (size_t i = 0; i < MANAGER_PROCESSES_MAX; i++)
                if (manager->processes[i] == process)
                        return &manager->processes[i];
        return NULL;
}

static ManagerNote *manager_note(Manager *manager, const Process *process) {
        return &manager->notes[manager_place(manager, process) - manager->processes];
}

static Process *manager_find_process(Manager *manager, uint64_t id) {
        for (size_t i = 0; i < MANAGER_PROCESSES_MAX; i++)
                if (manager->processes[i] && process_id(manager->processes[i]) == id)
                        return manager->processes[i];
        return NULL;
}

static OpsCpu *manager_cpu(Manager *manager, int cpu) {
        for (uint32_t i = 0; i < manager->machine.n_cpus; i++)
                if ((int)manager->machine.cpus[i].cpu == cpu)
                        return &manager->machine.cpus[i];
        return NULL;
}

/* Fills in what is the launcher's to say in a plan. What has no lease keeps to the housekeeping CPU. */
static void manager_complete_plan(Manager *manager, RunnerPlan *plan, const Identity *identity,
                const LeaseSet *leases) {
        const OpsCpu *known;

        plan->n_threads = leases->n > 0 ? leases->n : 1;
        plan->options &= leases->n > 0 ? ~0u : ~(uint32_t)RUNNER_OPTION_UNPREPARED;
        plan->cpus[0] = manager->config.leases->housekeeping;
        for (size_t i = 0; i < leases->n; i++)
                plan->cpus[i] = leases->leases[i]->cpu;
        known = manager_cpu(manager, plan->cpus[0]);
        plan->launcher_pid = getpid();
        plan->change_identity = manager->config.identities->privileged;
        plan->uid = identity->uid;
        plan->gid = identity->gid;
        plan->n_groups = identity->n_groups;
        memcpy(plan->groups, identity->groups, identity->n_groups * sizeof *plan->groups);
        plan->clock = known ? known->clock : (ClockFacts){};
}

static ZygoteBirth manager_birth(const Manager *manager, const RunnerPlan *plan) {
        const Identities *identities = manager->config.identities;
        bool as_run = identities->privileged && plan->uid == identities->run.uid;
        ZygoteBirth birth = {
                .cpu = plan->cpus[0],
                .environment_padding_bytes = plan->environment_padding_bytes,
                .counts = plan->mode == RUNNER_MODE_MEMORY,
                .fixed_layout = (plan->options & RUNNER_OPTION_FIXED_LAYOUT) != 0,
                .address_space_bytes = manager->machine.memory_bytes,
                .tasks = as_run ? MANAGER_RUN_TASKS + plan->n_threads : 0,
        };

        CPU_SET(plan->cpus[0], &birth.cpus);
        if (plan->options & RUNNER_OPTION_UNPREPARED) {
                birth.cpu = -1;
                birth.cpus = manager->config.leases->allowed;
        }
        return birth;
}

static int manager_on_sweep(sd_event_source *source, uint64_t usec, void *userdata);

/* Ends what nobody here knows. What cannot be reaped at once, since somebody outside traces it, is tried again. */
static void manager_sweep(Manager *manager, unsigned patience_ms) {
        pid_t known[MANAGER_PROCESSES_MAX + 2];
        size_t n = 0;

        known[n++] = manager->config.front_pid;
        known[n++] = manager->config.zygote->pid;
        for (size_t i = 0; i < MANAGER_PROCESSES_MAX; i++)
                if (manager->processes[i])
                        known[n++] = process_pid(manager->processes[i]);
        manager->sweep_source = sd_event_source_disable_unref(manager->sweep_source);
        if (!stray_kill(known, n, patience_ms))
                (void)sd_event_add_time_relative(manager->config.event, &manager->sweep_source, CLOCK_MONOTONIC,
                                MANAGER_SWEEP_DELAY_US, 0, manager_on_sweep, manager);
}

static int manager_on_sweep(sd_event_source *source, uint64_t usec, void *userdata) {
        manager_sweep(userdata, 0);
        return 0;
}

static void manager_on_stuck(void *userdata) {
        manager_sweep(userdata, 0);
}

static void manager_remove_cpuset(Manager *manager, Process *process) {
        if (cpusets_remove(manager->config.equipment->cpusets, process_cpuset(process)) < 0)
                fprintf(stderr, SD_WARNING "the cpuset of a runner could not be removed\n");
}

static void manager_forget(Manager *manager, Process *process) {
        if (manager_note(manager, process)->tuned)
                tuner_end(manager->config.equipment->tuner);
        *manager_note(manager, process) = (ManagerNote){};
        *manager_place(manager, process) = NULL;
        leases_give_back(manager->config.leases, process_leases(process));
        manager_remove_cpuset(manager, process);
        process_free(process);
}

static void manager_describe_tuning(Manager *manager, Process *process, OpsEnded *ended) {
        const ManagerNote *note = manager_note(manager, process);
        const LeaseSet *leases = process_leases(process);

        if (!note->tuned)
                return;
        ended->shared_caches = note->shared_caches;
        tuner_describe(manager->config.equipment->tuner, &leases->reserved, leases->isolated, ended);
}

static int manager_report_end(Manager *manager, Process *process) {
        int fds[] = { process_block_fd(process), process_output_fd(process) };
        OpsRecord record = { .kind = OPS_ENDED, .serial = process_serial(process) };

        process_describe_end(process, &record.ended);
        manager_describe_tuning(manager, process, &record.ended);
        return manager_send(manager, &record, fds, N_ELEMENTS(fds));
}

static int manager_calibrate_next(Manager *manager);

/* What it left behind goes before anybody hears of its end. A CPU that waited for its sibling can be calibrated now. */
static void manager_on_ended(Process *process, void *userdata) {
        Manager *manager = userdata;

        manager_sweep(manager, MANAGER_PATIENCE_MS);
        manager_remove_cpuset(manager, process);
        if (manager_report_end(manager, process) < 0)
                sd_event_exit(manager->config.event, 1);
        manager_forget(manager, process);
        if (manager_calibrate_next(manager) < 0)
                sd_event_exit(manager->config.event, 1);
}

/* ---- calibration: one CPU after another, before anything is measured on it */

static bool manager_take_calibration(Manager *manager, Process *process) {
        OpsCpu *cpu = manager_cpu(manager, process_leases(process)->leases[0]->cpu);
        CalibrationPoint point;
        CalibrationBlock block;
        size_t n;

        if (fd_read_start(process_block_fd(process), &block, sizeof block, &n) != 0 || n != sizeof block)
                return false;
        if (calibration_block_check(&block) != 0 || block.head.end != RUNNER_END_COMPLETE)
                return false;
        block.clock.source = cpu->clock.source;
        block.clock.invariant = cpu->clock.invariant;
        block.clock.n_restarts = 0;
        cpu->clock = block.clock;
        manager->machine.clock_checks = block.checks;
        cpu->calibrated = 1;
        point = clock_keeper_now();
        clock_keeper_note(&manager->clock, &manager->machine, &point);
        return true;
}

static void manager_on_calibrated(Process *process, void *userdata) {
        Manager *manager = userdata;
        Lease *lease = process_leases(process)->leases[0];
        int r;

        lease->calibrated = manager_take_calibration(manager, process);
        manager->calibrates = false;
        manager_forget(manager, process);
        if (!lease->calibrated && ++lease->failures == LEASE_FAILURES_MAX)
                fprintf(stderr, SD_ERR "CPU %d could not be calibrated: nothing can be measured on it\n", lease->cpu);
        r = manager_send_machine(manager);
        if (r < 0 || manager_calibrate_next(manager) < 0)
                sd_event_exit(manager->config.event, 1);
}

static int manager_calibrate(Manager *manager, const LeaseSet *leases) {
        const Identity *identity = &manager->config.identities->run;
        RunnerPlan plan = {
                .magic = RUNNER_PLAN_MAGIC,
                .version = RUNNER_PLAN_VERSION,
                .mode = RUNNER_MODE_CALIBRATE,
                .n_threads = 1,
                .n_sides = 1,
        };
        Process **place = manager_place(manager, NULL);
        int r;

        manager_complete_plan(manager, &plan, identity, leases);
        plan.cpus[1] = manager->config.leases->housekeeping; /* of the warp test */
        r = process_new(
                        &(ProcessConfig){
                                        .event = manager->config.event,
                                        .zygote = manager->config.zygote,
                                        .root = manager->config.equipment->root,
                                        .ended = manager_on_calibrated,
                                        .stuck = manager_on_stuck,
                                        .userdata = manager,
                                        .id = ++manager->last_process,
                                        .timeout_ns = MANAGER_CALIBRATION_TIMEOUT_NS,
                                        .plan = &plan,
                                        .leases = *leases,
                                        .birth = manager_birth(manager, &plan),
                        },
                        place);
        return error_fold(r);
}

static int manager_calibrate_next(Manager *manager) {
        LeaseSet leases;

        if (manager->calibrates || !manager_place(manager, NULL) ||
                        !leases_take_uncalibrated(manager->config.leases, &leases))
                return 0;
        manager->calibrates = true;
        return error_trace(manager_calibrate(manager, &leases));
}

/* ---- operations */

static int manager_do_ticket_open(Manager *manager, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_TICKET_OPENED, .serial = packet->record.serial };
        Ticket *ticket;
        int r;

        r = tickets_open(&manager->tickets, packet, &ticket);
        if (r > 0)
                return manager_refuse(manager, packet->record.serial, r, 0);
        if (r)
                return manager_refuse(manager, packet->record.serial, OPS_REFUSAL_SYSTEM, -r);
        record.ticket_opened = (OpsTicketOpened){
                .ticket = ticket->id,
                .uid = ticket->identity.uid,
                .gid = ticket->identity.gid,
        };
        return manager_send(manager, &record, NULL, 0);
}

static int manager_do_ticket_close(Manager *manager, OpsPacket *packet) {
        Ticket *ticket = tickets_find(&manager->tickets, packet->record.ticket_close);

        if (ticket)
                ticket_close(ticket);
        return 0;
}

/* The tickets of a spawn, one a side. */
typedef struct SpawnTickets {
        const Ticket *sides[RUNNER_SIDES_MAX];
} SpawnTickets;

/* Those of its threads; none for what is to run as any other program. */
static int manager_make_cpuset(Manager *manager, const RunnerPlan *plan, Cpuset *ret_cpuset) {
        cpu_set_t cpus = {};

        for (uint32_t i = 0; i < plan->n_threads; i++)
                CPU_SET(plan->cpus[i], &cpus);
        if (!(plan->options & RUNNER_OPTION_UNPREPARED))
                return error_trace(cpusets_make(manager->config.equipment->cpusets, manager->last_process, &cpus,
                                ret_cpuset));
        *ret_cpuset = (Cpuset){ .outcome = OPS_OUTCOME_OMITTED };
        return 0;
}

static void manager_note_company(Manager *manager) {
        for (size_t i = 0; i < MANAGER_PROCESSES_MAX; i++)
                if (manager->processes[i] && process_leases(manager->processes[i])->n > 0)
                        manager->notes[i].shared_caches |= leases_shared_caches(manager->config.leases,
                                        process_leases(manager->processes[i]));
}

static int manager_start(Manager *manager, const OpsRecord *request, const SpawnTickets *tickets,
                const RunnerPlan *plan, const LeaseSet *leases) {
        ProcessConfig config = {
                .event = manager->config.event,
                .zygote = manager->config.zygote,
                .root = manager->config.equipment->root,
                .ended = manager_on_ended,
                .stuck = manager_on_stuck,
                .userdata = manager,
                .id = ++manager->last_process,
                .serial = request->serial,
                .timeout_ns = request->spawn.timeout_ns,
                .plan = plan,
                .ticket = tickets->sides[0],
                .other_ticket = tickets->sides[1],
                .leases = *leases,
                .birth = manager_birth(manager, plan),
                .caged = manager->config.require_cpuset,
        };
        int r;

        r = manager_make_cpuset(manager, plan, &config.cpuset);
        if (r)
                return error_trace(r);
        cpuset_tasks(&config.cpuset, config.birth.cpuset, sizeof config.birth.cpuset);
        r = process_new(&config, manager_place(manager, NULL));
        if (r)
                (void)cpusets_remove(manager->config.equipment->cpusets, &config.cpuset);
        return error_fold(r);
}

static bool manager_tune(Manager *manager, const RunnerPlan *plan, const LeaseSet *leases) {
        if (leases->n == 0 || (plan->options & RUNNER_OPTION_UNPREPARED))
                return false;
        tuner_begin(manager->config.equipment->tuner, &leases->reserved);
        return true;
}

static int manager_spawn(Manager *manager, const OpsRecord *request, const SpawnTickets *tickets, LeaseSet *leases) {
        ManagerNote *note = &manager->notes[manager_place(manager, NULL) - manager->processes];
        RunnerPlan plan = request->spawn.plan;
        OpsRecord record = { .kind = OPS_STARTED, .serial = request->serial };
        int r;

        for (uint32_t i = 0; i < plan.n_sides; i++)
                plan.sides[i].n_libraries = tickets->sides[i]->n_libraries;
        manager_complete_plan(manager, &plan, &tickets->sides[0]->identity, leases);
        note->tuned = manager_tune(manager, &plan, leases);
        r = manager_start(manager, request, tickets, &plan, leases);
        if (r) {
                if (note->tuned)
                        tuner_end(manager->config.equipment->tuner);
                *note = (ManagerNote){};
                leases_give_back(manager->config.leases, leases);
                return manager_refuse(manager, request->serial, OPS_REFUSAL_SYSTEM, -r);
        }
        record.started = (OpsStarted){ .process = manager->last_process, .cpu = plan.cpus[0] };
        for (uint32_t i = 0; i < plan.n_threads; i++)
                CPU_SET(plan.cpus[i], &record.started.cpus);
        manager_note_company(manager);
        return manager_send(manager, &record, NULL, 0);
}

/* What can never be had is refused with the reason, what is taken is to be asked for again. */
static int manager_refuse_lease(Manager *manager, const OpsRecord *request, int outcome) {
        static const OpsCpusRefusal reasons[] = {
                [CHOICE_E_MISSING] = OPS_CPUS_MISSING,
                [CHOICE_E_OFFLINE] = OPS_CPUS_OFFLINE,
                [CHOICE_E_NOT_LEASABLE] = OPS_CPUS_NOT_ALLOWED,
                [CHOICE_E_HOUSEKEEPING] = OPS_CPUS_HOUSEKEEPING,
                [CHOICE_E_TOO_FEW] = OPS_CPUS_TOO_FEW,
        };
        const Leases *leases = manager->config.leases;
        const ChoiceWish wish = { .within = &request->spawn.cpus, .n = request->spawn.plan.n_threads };
        OpsRecord record = { .kind = OPS_REFUSED, .serial = request->serial };

        if (outcome == CHOICE_E_BUSY)
                return manager_refuse(manager, request->serial, OPS_REFUSAL_BUSY, 0);
        if (CPU_COUNT(&request->spawn.cpus) == 0)
                return manager_refuse(manager, request->serial, OPS_REFUSAL_PLAN, 0);
        record.refused = (OpsRefused){ .reason = OPS_REFUSAL_CPUS, .why = reasons[outcome] };
        choice_blame(leases->topology, &leases->pool, &wish, outcome, &record.refused.cpus);
        return manager_send(manager, &record, NULL, 0);
}

/* Both sides must be one client's, and their libraries fit one process. */
static bool manager_find_tickets(Manager *manager, const OpsSpawn *spawn, SpawnTickets *ret_tickets) {
        const Ticket *one = tickets_find(&manager->tickets, spawn->ticket);
        const Ticket *other = tickets_find(&manager->tickets, spawn->other_ticket);

        *ret_tickets = (SpawnTickets){ { one, other } };
        if (spawn->other_ticket == 0)
                return one;
        return one && other && one->identity.uid == other->identity.uid &&
               one->n_libraries + other->n_libraries <= RUNNER_LIBRARIES_MAX;
}

static int manager_do_spawn(Manager *manager, OpsPacket *packet) {
        const OpsRecord *request = &packet->record;
        const RunnerPlan *plan = &request->spawn.plan;
        const bool any = CPU_COUNT(&request->spawn.cpus) == 0;
        SpawnTickets tickets;
        LeaseSet leases = {}; /* listing goes beside everything else */
        int r;

        if (!manager_find_tickets(manager, &request->spawn, &tickets))
                return manager_refuse(manager, request->serial, OPS_REFUSAL_TICKET, 0);
        if (!manager_place(manager, NULL))
                return manager_refuse(manager, request->serial, OPS_REFUSAL_BUSY, 0);
        if (plan->mode == RUNNER_MODE_RUN) {
                r = leases_take(manager->config.leases, plan->n_threads, any ? NULL : &request->spawn.cpus, &leases);
                if (r > 0)
                        return manager_refuse_lease(manager, request, r);
                r = manager_refine(manager);
                if (r)
                        return r;
        }
        return manager_spawn(manager, request, &tickets, &leases);
}

static int manager_do_kill(Manager *manager, OpsPacket *packet) {
        Process *process = manager_find_process(manager, packet->record.kill);

        if (process)
                process_kill(process);
        return 0;
}

static int manager_do_refine(Manager *manager, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_REFINED, .serial = packet->record.serial };
        int r;

        r = manager_refine(manager);
        return r ? r : manager_send(manager, &record, NULL, 0);
}

static int manager_do_adopt(Manager *manager, OpsPacket *packet) {
        return manager_refuse(manager, packet->record.serial, OPS_REFUSAL_UNSUPPORTED, 0);
}

static const struct {
        OpsKind kind;
        int (*function)(Manager *manager, OpsPacket *packet);
} manager_operations[] = {
        { OPS_TICKET_OPEN, manager_do_ticket_open },
        { OPS_TICKET_CLOSE, manager_do_ticket_close },
        { OPS_SPAWN, manager_do_spawn },
        { OPS_KILL, manager_do_kill },
        { OPS_ADOPT, manager_do_adopt },
        { OPS_REFINE, manager_do_refine },
};

static int manager_do(Manager *manager, OpsPacket *packet) {
        for (size_t i = 0; i < N_ELEMENTS(manager_operations); i++)
                if (manager_operations[i].kind == packet->record.kind)
                        return manager_operations[i].function(manager, packet);
        fprintf(stderr, SD_ERR "benchd sent a record of kind %u, which is not its to send\n", packet->record.kind);
        shutdown(manager->front_fd, SHUT_RDWR);
        return 0;
}

static void manager_end_processes(Manager *manager) {
        for (size_t i = 0; i < MANAGER_PROCESSES_MAX; i++) {
                Process *process = manager->processes[i];

                if (process && process_mode(process) != RUNNER_MODE_CALIBRATE)
                        manager_forget(manager, process);
        }
        manager_sweep(manager, MANAGER_PATIENCE_MS);
}

static void manager_detach(Manager *manager) {
        if (manager->front_fd < 0)
                return;
        manager->front_source = sd_event_source_disable_unref(manager->front_source);
        manager->front_fd = fd_close(manager->front_fd);
        manager_end_processes(manager);
        tickets_close_all(&manager->tickets);
}

static int manager_on_front(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Manager *manager = userdata;
        OpsPacket packet;
        int r;

        r = ops_receive(fd, &packet);
        if (r == OPS_E_AGAIN)
                return 0;
        if (r == 0) {
                r = manager_do(manager, &packet);
                ops_packet_close(&packet);
                return r < 0 ? sd_event_exit(manager->config.event, 1) : 0;
        }

        if (r != OPS_E_CLOSED)
                fprintf(stderr, SD_ERR "benchd sent what is no operation\n");
        manager_detach(manager);
        manager->config.detached(manager, manager->config.userdata);
        return 0;
}

/* ---- life */

/* Nothing can be born any more. */
static int manager_on_zygote_gone(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Manager *manager = userdata;

        fprintf(stderr, SD_ERR "the zygote is gone\n");
        return sd_event_exit(manager->config.event, 1);
}

int manager_new(const ManagerConfig *config, Manager **ret_manager) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        int r;

        manager = calloc(1, sizeof *manager);
        if (!manager)
                return error_origin(-ENOMEM);
        manager->config = *config;
        manager->front_fd = -1;
        tickets_init(&manager->tickets, config->identities, config->listening_path);

        r = describe_machine(config->equipment->machine, config->leases, config->identities->privileged,
                        &manager->machine);
        if (r)
                return error_trace(r);

        manager->machine.replay = config->equipment->restorer.replay;
        clock_keeper_choose(&manager->machine, config->distrust_tsc);
        r = sd_event_add_io(config->event, &manager->zygote_source, config->zygote->fd, 0, manager_on_zygote_gone,
                        manager);
        if (r < 0)
                return error_origin(r);
        r = manager_calibrate_next(manager);
        if (r)
                return error_trace(r);
        *ret_manager = take_pointer(manager);
        return 0;
}

Manager *manager_free(Manager *manager) {
        if (!manager)
                return NULL;
        manager_detach(manager);
        for (size_t i = 0; i < MANAGER_PROCESSES_MAX; i++)
                manager->processes[i] = process_free(manager->processes[i]);
        manager_sweep(manager, MANAGER_PATIENCE_MS);
        sd_event_source_disable_unref(manager->sweep_source);
        sd_event_source_disable_unref(manager->zygote_source);
        free(manager);
        return NULL;
}

int manager_attach(Manager *manager, int front_fd) {
        int r;

        manager->front_fd = front_fd;
        r = fd_set_nonblock(front_fd, true); /* one that does not read is cut off, rather than waited for */
        if (r)
                return error_trace(r);
        r = sd_event_add_io(manager->config.event, &manager->front_source, front_fd, EPOLLIN, manager_on_front,
                        manager);
        if (r < 0)
                return error_origin(r);
        return error_trace(manager_send_machine(manager));
}

bool manager_is_attached(const Manager *manager) {
        return manager->front_fd >= 0;
}
