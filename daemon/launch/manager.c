/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "launch/calibrator.h"
#include "launch/clock-keeper.h"
#include "launch/cpu-watch.h"
#include "launch/describe.h"
#include "launch/equipment.h"
#include "launch/front-link.h"
#include "launch/governing.h"
#include "launch/lease.h"
#include "launch/machine-lease.h"
#include "launch/outfit.h"
#include "launch/quiet.h"
#include "launch/runners.h"
#include "launch/spawning.h"
#include "launch/ticket.h"
#include "util/cleanup.h"
#include "util/error.h"

struct Manager {
        ManagerConfig config;
        FrontLink front;
        sd_event_source *zygote_source;
        Tickets tickets;
        OpsMachine machine;
        ClockKeeper clock;
        CpuWatch *cpu_watch;
        Outfit outfit;
        Runners runners;
        Calibrator calibrator;
        SpawningConfig spawning;
};

DEFINE_CLEANUP(Manager *, manager_free)

/* ---- to the front-end */

static int manager_refuse(Manager *manager, const OpsPacket *question, OpsRefusal reason, int error) {
        const OpsRecord record = ops_refusal(question->record.serial, reason, error);

        return front_link_send(&manager->front, &record, NULL, 0);
}

static int manager_send_machine(Manager *manager) {
        OpsRecord record = { .kind = OPS_MACHINE };

        manager->machine.threads_max = leases_most(manager->config.leases);
        record.machine = manager->machine;
        return front_link_send(&manager->front, &record, NULL, 0);
}

/* Sends what the machine tells now, if looking at the clock changed it. */
static int manager_refine(Manager *manager) {
        bool changed = clock_keeper_look(&manager->clock, &manager->machine);

        changed |= governing_describe(manager->config.equipment->machine_lease, &manager->machine);
        return changed ? manager_send_machine(manager) : 0;
}

/* ---- CPUs that come and go, and are calibrated */

static int manager_settle_cpus(Manager *manager) {
        if (!cpu_watch_settle(manager->cpu_watch))
                return 0;
        describe_cpus(manager->config.leases, &manager->machine);
        clock_keeper_choose(&manager->machine, manager->config.distrust_tsc);
        (void)governing_describe(manager->config.equipment->machine_lease, &manager->machine);
        return manager_send_machine(manager);
}

static int manager_calibrate_next(Manager *manager) {
        int r;

        r = manager_settle_cpus(manager);
        return r ? r : calibrator_next(&manager->calibrator);
}

static void manager_on_cpu(void *userdata, int cpu, bool on) {
        Manager *manager = userdata;

        if (!on)
                runners_lose_cpu(&manager->runners, cpu);
        if (manager_calibrate_next(manager) < 0)
                sd_event_exit(manager->config.event, 1);
}

static int manager_on_calibrated(void *userdata) {
        Manager *manager = userdata;
        int r;

        r = manager_settle_cpus(manager);
        return r ? r : manager_send_machine(manager);
}

static double manager_probe(void *userdata, int cpu) {
        Manager *manager = userdata;
        const OpsCpu *known = describe_find_cpu(&manager->machine, cpu);

        return known && known->calibrated ? quiet_probe(&known->clock, cpu) : -1;
}

/* ---- an end */

static int manager_report_end(Manager *manager, Process *process) {
        int fds[] = { process_block_fd(process), process_output_fd(process) };
        OpsRecord record = { .kind = OPS_ENDED, .serial = process_serial(process) };

        runners_describe_end(&manager->runners, process, &record.ended);
        return front_link_send(&manager->front, &record, fds, N_ELEMENTS(fds));
}

/* What it left behind goes before anybody hears of its end. A CPU that waited for its sibling can be calibrated now. */
static void manager_on_ended(Process *process, void *userdata) {
        Manager *manager = userdata;

        runners_sweep_after(&manager->runners, process);
        if (manager_report_end(manager, process) < 0)
                sd_event_exit(manager->config.event, 1);
        runners_let_go(&manager->runners, process);
        if (manager_calibrate_next(manager) < 0)
                sd_event_exit(manager->config.event, 1);
}

/* ---- operations */

static int manager_do_ticket_open(Manager *manager, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_TICKET_OPENED, .serial = packet->record.serial };
        Ticket *ticket;
        int r;

        r = tickets_open(&manager->tickets, packet, &ticket);
        if (r > 0)
                return manager_refuse(manager, packet, r, 0);
        if (r)
                return manager_refuse(manager, packet, OPS_REFUSAL_SYSTEM, -r);
        record.ticket_opened = (OpsTicketOpened){
                .ticket = ticket->id,
                .uid = ticket->identity.uid,
                .gid = ticket->identity.gid,
        };
        return front_link_send(&manager->front, &record, NULL, 0);
}

static int manager_do_ticket_close(Manager *manager, OpsPacket *packet) {
        Ticket *ticket = tickets_find(&manager->tickets, packet->record.ticket_close);

        if (ticket)
                ticket_close(ticket);
        return 0;
}

/* The clock is looked at between what a runner gets and its birth: what starts knows the best frequency there is. */
static int manager_do_spawn(Manager *manager, OpsPacket *packet) {
        Spawning spawning;
        OpsRecord answer;
        int r = 0;

        if (packet->record.spawn.plan.mode == RUNNER_MODE_RUN)
                r = manager_calibrate_next(manager);
        if (r)
                return error_trace(r);
        r = spawning_prepare(&manager->spawning, &packet->record, &spawning, &answer);
        if (r == SPAWNING_E_REFUSED)
                return front_link_send(&manager->front, &answer, NULL, 0);
        if (spawning.leases.n > 0) {
                r = manager_refine(manager);
                if (r)
                        return r;
        }
        spawning_start(&spawning, &answer);
        return front_link_send(&manager->front, &answer, NULL, 0);
}

static int manager_do_kill(Manager *manager, OpsPacket *packet) {
        Process *process = runners_find(&manager->runners, packet->record.kill);

        if (process)
                process_kill(process);
        return 0;
}

static int manager_do_refine(Manager *manager, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_REFINED, .serial = packet->record.serial };
        int r;

        r = manager_refine(manager);
        return r ? r : front_link_send(&manager->front, &record, NULL, 0);
}

static int manager_do_governor(Manager *manager, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_GOVERNOR_DONE, .serial = packet->record.serial };
        MachineLease *lease = manager->config.equipment->machine_lease;
        int r;

        if (!machine_lease_applied_plan(lease))
                return manager_refuse(manager, packet, OPS_REFUSAL_NO_JOURNAL, 0);
        r = governing_do(lease, &packet->record.governor, &record.governor_done);
        if (r)
                return manager_refuse(manager, packet, OPS_REFUSAL_SYSTEM, -r);
        if (governing_describe(lease, &manager->machine))
                r = manager_send_machine(manager);
        return r ? r : front_link_send(&manager->front, &record, NULL, 0);
}

static int manager_do_ready(Manager *manager, OpsPacket *packet) {
        manager->config.ready(manager, manager->config.userdata);
        return 0;
}

static int manager_do_adopt(Manager *manager, OpsPacket *packet) {
        return manager_refuse(manager, packet, OPS_REFUSAL_UNSUPPORTED, 0);
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
        { OPS_GOVERNOR, manager_do_governor },
        { OPS_READY, manager_do_ready },
};

static int manager_do(OpsPacket *packet, void *userdata) {
        Manager *manager = userdata;

        for (size_t i = 0; i < N_ELEMENTS(manager_operations); i++)
                if (manager_operations[i].kind == packet->record.kind)
                        return manager_operations[i].function(manager, packet);
        fprintf(stderr, SD_ERR "benchd sent a record of kind %u, which is not its to send\n", packet->record.kind);
        front_link_cut(&manager->front);
        return 0;
}

static void manager_detach(Manager *manager) {
        if (!front_link_is_attached(&manager->front))
                return;
        front_link_detach(&manager->front);
        runners_end(&manager->runners);
        tickets_close_all(&manager->tickets);
}

static void manager_on_gone(void *userdata) {
        Manager *manager = userdata;

        manager_detach(manager);
        if (manager_calibrate_next(manager) < 0)
                sd_event_exit(manager->config.event, 1);
        manager->config.detached(manager, manager->config.userdata);
}

/* ---- life */

/* Nothing can be born any more. */
static int manager_on_zygote_gone(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Manager *manager = userdata;

        fprintf(stderr, SD_ERR "the zygote is gone\n");
        return sd_event_exit(manager->config.event, 1);
}

static void manager_init(Manager *manager, const ManagerConfig *config) {
        *manager = (Manager){ .config = *config };
        front_link_init(&manager->front, &(FrontLinkConfig){
                                                         .event = config->event,
                                                         .asked = manager_do,
                                                         .gone = manager_on_gone,
                                                         .userdata = manager,
                                         });
        tickets_init(&manager->tickets, config->identities, config->listening_path);
        leases_ask(config->leases, manager_probe, manager);
        manager->outfit = (Outfit){ config->identities, config->leases, &manager->machine };
        runners_init(&manager->runners, &(RunnersConfig){
                                                        .event = config->event,
                                                        .zygote = config->zygote,
                                                        .leases = config->leases,
                                                        .equipment = config->equipment,
                                                        .front_pid = config->front_pid,
                                        });
        calibrator_init(&manager->calibrator, &(CalibratorConfig){
                                                              .event = config->event,
                                                              .runners = &manager->runners,
                                                              .leases = config->leases,
                                                              .outfit = &manager->outfit,
                                                              .clock = &manager->clock,
                                                              .without_probes = config->without_probes,
                                                              .told = manager_on_calibrated,
                                                              .userdata = manager,
                                              });
        manager->spawning = (SpawningConfig){
                .tickets = &manager->tickets,
                .runners = &manager->runners,
                .leases = config->leases,
                .outfit = &manager->outfit,
                .require_cpuset = config->require_cpuset,
                .ended = manager_on_ended,
                .userdata = manager,
        };
}

int manager_new(const ManagerConfig *config, Manager **ret_manager) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        int r;

        manager = malloc(sizeof *manager);
        if (!manager)
                return error_origin(-ENOMEM);
        manager_init(manager, config);

        r = describe_machine(config->equipment->machine, config->leases, config->identities->privileged,
                        &manager->machine);
        if (r)
                return error_trace(r);

        manager->machine.replay = config->equipment->restorer.replay;
        (void)governing_describe(config->equipment->machine_lease, &manager->machine);
        clock_keeper_choose(&manager->machine, config->distrust_tsc);
        r = cpu_watch_new(
                        &(CpuWatchConfig){
                                        .event = config->event,
                                        .leases = config->leases,
                                        .equipment = config->equipment,
                                        .tell = manager_on_cpu,
                                        .userdata = manager,
                        },
                        &manager->cpu_watch);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(config->event, &manager->zygote_source, config->zygote->fd, 0, manager_on_zygote_gone,
                        manager);
        if (r < 0)
                return error_origin(r);
        r = calibrator_next(&manager->calibrator);
        if (r)
                return error_trace(r);
        *ret_manager = take_pointer(manager);
        return 0;
}

Manager *manager_free(Manager *manager) {
        if (!manager)
                return NULL;
        manager_detach(manager);
        leases_ask(manager->config.leases, NULL, NULL);
        runners_clear(&manager->runners);
        sd_event_source_disable_unref(manager->zygote_source);
        cpu_watch_free(manager->cpu_watch);
        free(manager);
        return NULL;
}

int manager_attach(Manager *manager, int front_fd) {
        int r;

        r = front_link_attach(&manager->front, front_fd);
        if (r)
                return error_trace(r);
        return error_trace(manager_send_machine(manager));
}

bool manager_is_attached(const Manager *manager) {
        return front_link_is_attached(&manager->front);
}
