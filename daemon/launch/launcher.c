/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/launcher.h"

#include <stdlib.h>

#include "launch/base/say.h"
#include "launch/lease/core-load.h"
#include "launch/lease/cpu-watch.h"
#include "launch/lease/describe.h"
#include "launch/lease/equipment.h"
#include "launch/lease/lease.h"
#include "launch/lease/machine-lease.h"
#include "launch/lease/set-governor.h"
#include "launch/run/adopting.h"
#include "launch/run/cache-drop.h"
#include "launch/run/calibrator.h"
#include "launch/run/runner-setup.h"
#include "launch/run/runners.h"
#include "launch/run/spawning.h"
#include "launch/trust/front-link.h"
#include "launch/trust/hash-queue.h"
#include "launch/trust/ticket.h"
#include "launch/trust/voucher.h"
#include "ops/receiver.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

struct Launcher {
        LauncherConfig config;
        FrontLink front;
        sd_event_source *zygote_source;
        HashQueue *hashes;
        ReceiverCloser *closer;
        VoucherKey key;
        Tickets tickets;
        VoucherQuestions vouchings;
        OpsMachine machine;
        CalibratorClock clock;
        CpuWatch *cpu_watch;
        RunnerSetup setup;
        Runners runners;
        Calibrator calibrator;
        SpawningConfig spawning;
        CacheDrop cache_drop;
};

DEFINE_CLEANUP(HashQueue *, hash_queue_free)

/* ---- to the front-end */

static int launcher_refuse(Launcher *launcher, const OpsPacket *question, OpsRefusal reason, int error) {
        const OpsRecord record = ops_refusal(question->record.serial, reason, error);

        return front_link_send(&launcher->front, &record, NULL, 0);
}

static int launcher_send_machine(Launcher *launcher) {
        OpsRecord record = { .kind = OPS_MACHINE };

        launcher->machine.threads_max = leases_most(launcher->config.leases);
        launcher->machine.n_stuck = runners_describe_stuck(&launcher->runners, launcher->machine.stuck, OPS_STUCK_MAX);
        record.machine = launcher->machine;
        return front_link_send(&launcher->front, &record, NULL, 0);
}

/* Sends the machine's facts if a look at the clock changed them. */
static int launcher_refine(Launcher *launcher) {
        bool changed = calibrator_clock_look(&launcher->clock, &launcher->machine);

        changed |= set_governor_describe(launcher->config.equipment->machine_lease, &launcher->machine);
        return changed ? launcher_send_machine(launcher) : 0;
}

/* ---- CPUs that come and go, and are calibrated */

static int launcher_settle_cpus(Launcher *launcher) {
        if (!cpu_watch_settle(launcher->cpu_watch))
                return 0;
        describe_cpus(launcher->config.leases, &launcher->machine);
        calibrator_clock_choose(&launcher->machine, launcher->config.distrust_tsc);
        (void)set_governor_describe(launcher->config.equipment->machine_lease, &launcher->machine);
        return launcher_send_machine(launcher);
}

static int launcher_calibrate_next(Launcher *launcher) {
        int r;

        r = launcher_settle_cpus(launcher);
        return r ? r : calibrator_next(&launcher->calibrator);
}

static void launcher_on_cpu(void *userdata, int cpu, bool on) {
        Launcher *launcher = userdata;

        if (!on)
                runners_lose_cpu(&launcher->runners, cpu);
        if (launcher_calibrate_next(launcher) < 0)
                sd_event_exit(launcher->config.event, 1);
}

static int launcher_on_calibrated(void *userdata) {
        Launcher *launcher = userdata;
        int r;

        r = launcher_settle_cpus(launcher);
        return r ? r : launcher_send_machine(launcher);
}

static double launcher_probe(void *userdata, int cpu) {
        Launcher *launcher = userdata;
        const OpsCpu *known = describe_find_cpu(&launcher->machine, cpu);

        return known && known->calibrated ? core_load_probe(&known->clock, cpu) : -1;
}

/* ---- an end */

static int launcher_report_end(Launcher *launcher, Process *process) {
        int fds[] = { process_block_fd(process), process_output_fd(process) };
        OpsRecord record = { .kind = OPS_ENDED, .serial = process_serial(process) };

        runners_describe_end(&launcher->runners, process, &record.ended);
        return front_link_send(&launcher->front, &record, fds, N_ELEMENTS(fds));
}

static void launcher_leave_stuck(Launcher *launcher, Process *process) {
        say(SD_ERR,
                        "process %d was killed and does not die: the kernel holds it. Its CPUs are not lent until it does. "
                        "/proc/%d/stack and 'ps -o stat,wchan:30 -p %d' show what it waits for",
                        process_stuck_pid(process), process_stuck_pid(process), process_stuck_pid(process));
        runners_leave_stuck(&launcher->runners, process);
        if (launcher_send_machine(launcher) < 0)
                sd_event_exit(launcher->config.event, 1);
}

/*
 * Removes everything that the runner left behind before its end is reported. A CPU that waited for its sibling can be
 * calibrated now.
 */
static void launcher_on_ended(Process *process, void *userdata) {
        Launcher *launcher = userdata;

        runners_sweep_after(&launcher->runners, process);
        if (launcher_report_end(launcher, process) < 0)
                sd_event_exit(launcher->config.event, 1);
        if (process_stuck_pid(process))
                launcher_leave_stuck(launcher, process);
        else
                runners_let_go(&launcher->runners, process);
        if (launcher_calibrate_next(launcher) < 0)
                sd_event_exit(launcher->config.event, 1);
}

/* The stuck runner is dead at last: everything that it kept is given back. */
static void launcher_on_freed(Process *process, void *userdata) {
        Launcher *launcher = userdata;

        say(SD_NOTICE, "process %d, which could not be killed, is dead", process_stuck_pid(process));
        runners_sweep_after(&launcher->runners, process);
        runners_let_go(&launcher->runners, process);
        if (launcher_calibrate_next(launcher) < 0 || launcher_send_machine(launcher) < 0)
                sd_event_exit(launcher->config.event, 1);
}

/* ---- operations */

/* Answers the question of @serial for a ticket: @ticket is open, or there is none for the refusal or errno @r. */
static int launcher_answer_ticket(Launcher *launcher, uint64_t serial, const Ticket *ticket, int r) {
        OpsRecord record = { .kind = OPS_TICKET_OPENED, .serial = serial };

        if (r)
                record = r > 0 ? ops_refusal(serial, r, 0) : ops_refusal(serial, OPS_REFUSAL_SYSTEM, -r);
        else
                record.ticket_opened = (OpsTicketOpened){
                        .ticket = ticket->id,
                        .uid = ticket->identity.uid,
                        .gid = ticket->identity.gid,
                };
        return front_link_send(&launcher->front, &record, NULL, 0);
}

static void launcher_on_proven(void *userdata, uint64_t serial, const Ticket *ticket, int r) {
        Launcher *launcher = userdata;

        if (launcher_answer_ticket(launcher, serial, ticket, r) < 0)
                sd_event_exit(launcher->config.event, 1);
}

static void launcher_close_client(void *userdata, int client_fd) {
        Launcher *launcher = userdata;

        front_link_close_received(&launcher->front, client_fd);
}

static int launcher_do_ticket_open(Launcher *launcher, OpsPacket *packet) {
        const uint64_t serial = packet->record.serial;
        Ticket *ticket = NULL;
        int r;

        r = tickets_open(&launcher->tickets, packet, &ticket);
        return r == TICKETS_E_LATER ? 0 : launcher_answer_ticket(launcher, serial, ticket, r);
}

static void launcher_on_vouched(void *userdata, const OpsRecord *answer) {
        Launcher *launcher = userdata;

        if (front_link_send(&launcher->front, answer, NULL, 0) < 0)
                sd_event_exit(launcher->config.event, 1);
}

static int launcher_do_vouch(Launcher *launcher, OpsPacket *packet) {
        int r = voucher_questions_ask(&launcher->vouchings, packet);

        if (r == 0)
                return 0;
        return launcher_refuse(launcher, packet, r > 0 ? (OpsRefusal)r : OPS_REFUSAL_SYSTEM, r > 0 ? 0 : -r);
}

static int launcher_do_ticket_close(Launcher *launcher, OpsPacket *packet) {
        Ticket *ticket = tickets_find(&launcher->tickets, packet->record.ticket_close);

        if (ticket)
                ticket_close(ticket);
        return 0;
}

/*
 * The clock is read after the runner's resources are found and before its birth, so that it starts with the best known
 * frequency.
 */
static int launcher_do_spawn(Launcher *launcher, OpsPacket *packet) {
        Spawning spawning;
        OpsRecord answer;
        int r = 0;

        if (packet->record.spawn.plan.mode == RUNNER_MODE_RUN)
                r = launcher_calibrate_next(launcher);
        if (r)
                return error_trace(r);
        r = spawning_prepare(&launcher->spawning, &packet->record, &spawning, &answer);
        if (r == SPAWNING_E_REFUSED)
                return front_link_send(&launcher->front, &answer, NULL, 0);
        if (spawning.leases.n > 0) {
                r = launcher_refine(launcher);
                if (r)
                        return r;
        }
        spawning_start(&spawning, &answer);
        return front_link_send(&launcher->front, &answer, NULL, 0);
}

static int launcher_do_kill(Launcher *launcher, OpsPacket *packet) {
        Process *process = runners_find(&launcher->runners, packet->record.kill);

        if (process)
                process_kill(process);
        return 0;
}

static int launcher_do_adopt(Launcher *launcher, OpsPacket *packet) {
        OpsRecord answer;

        adopting_do(&launcher->tickets, runners_find(&launcher->runners, packet->record.adopt), packet, &answer);
        return front_link_send(&launcher->front, &answer, NULL, 0);
}

static void launcher_on_dropped(void *userdata, uint64_t serial, int error, uint64_t elapsed_ns) {
        Launcher *launcher = userdata;
        OpsRecord answer = { .kind = OPS_CACHES_DROPPED, .serial = serial, .dropped_ns = elapsed_ns };

        if (error)
                answer = ops_refusal(serial, OPS_REFUSAL_SYSTEM, error);
        if (front_link_send(&launcher->front, &answer, NULL, 0) < 0)
                sd_event_exit(launcher->config.event, 1);
}

static int launcher_do_drop_caches(Launcher *launcher, OpsPacket *packet) {
        const OpsRecord *record = &packet->record;
        int r;

        r = adopting_check(&launcher->tickets, runners_find(&launcher->runners, record->drop_caches), packet->fds[0]);
        if (r > 0)
                return launcher_refuse(launcher, packet, (OpsRefusal)r, 0);
        if (r == 0)
                r = cache_drop_start(&launcher->cache_drop, launcher->config.equipment->root, record->serial);
        if (r == CACHE_DROP_E_BUSY)
                return launcher_refuse(launcher, packet, OPS_REFUSAL_DROPPING, 0);
        return r ? launcher_refuse(launcher, packet, OPS_REFUSAL_SYSTEM, -r) : 0;
}

static int launcher_do_refine(Launcher *launcher, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_REFINED, .serial = packet->record.serial };
        int r;

        r = launcher_refine(launcher);
        record.refined.clock_synchronised = time_is_synchronised();
        return r ? r : front_link_send(&launcher->front, &record, NULL, 0);
}

static int launcher_do_governor(Launcher *launcher, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_GOVERNOR_DONE, .serial = packet->record.serial };
        MachineLease *lease = launcher->config.equipment->machine_lease;
        int r;

        if (!machine_lease_applied_plan(lease))
                return launcher_refuse(launcher, packet, OPS_REFUSAL_NO_JOURNAL, 0);
        r = set_governor_do(lease, &packet->record.governor, &record.governor_done);
        if (r)
                return launcher_refuse(launcher, packet, OPS_REFUSAL_SYSTEM, -r);
        if (set_governor_describe(lease, &launcher->machine))
                r = launcher_send_machine(launcher);
        return r ? r : front_link_send(&launcher->front, &record, NULL, 0);
}

static int launcher_do_ready(Launcher *launcher, OpsPacket *packet) {
        launcher->config.ready(launcher, launcher->config.userdata);
        return 0;
}

static int launcher_do_peer(Launcher *launcher, OpsPacket *packet) {
        OpsRecord record = { .kind = OPS_PEER_IS, .serial = packet->record.serial };
        int r;

        r = tickets_read_peer(&launcher->tickets, launcher->config.equipment->root, packet, &record.peer);
        if (r)
                return launcher_refuse(launcher, packet, r > 0 ? (OpsRefusal)r : OPS_REFUSAL_SYSTEM, r > 0 ? 0 : -r);
        return front_link_send(&launcher->front, &record, NULL, 0);
}

static const struct {
        OpsKind kind;
        int (*function)(Launcher *launcher, OpsPacket *packet);
} launcher_operations[] = {
        { OPS_TICKET_OPEN, launcher_do_ticket_open },
        { OPS_TICKET_CLOSE, launcher_do_ticket_close },
        { OPS_SPAWN, launcher_do_spawn },
        { OPS_KILL, launcher_do_kill },
        { OPS_ADOPT, launcher_do_adopt },
        { OPS_DROP_CACHES, launcher_do_drop_caches },
        { OPS_REFINE, launcher_do_refine },
        { OPS_GOVERNOR, launcher_do_governor },
        { OPS_VOUCH, launcher_do_vouch },
        { OPS_PEER, launcher_do_peer },
        { OPS_READY, launcher_do_ready },
};

static int launcher_do(OpsPacket *packet, void *userdata) {
        Launcher *launcher = userdata;

        for (size_t i = 0; i < N_ELEMENTS(launcher_operations); i++)
                if (launcher_operations[i].kind == packet->record.kind)
                        return launcher_operations[i].function(launcher, packet);
        say(SD_ERR, "benchd sent a record of kind %u, which only the launcher sends: its connection is closed",
                        packet->record.kind);
        front_link_cut(&launcher->front);
        return 0;
}

static void launcher_detach(Launcher *launcher) {
        if (!front_link_is_attached(&launcher->front))
                return;
        front_link_detach(&launcher->front);
        runners_end(&launcher->runners);
        tickets_close_all(&launcher->tickets);
        voucher_questions_clear(&launcher->vouchings);
        cache_drop_forget(&launcher->cache_drop);
}

static void launcher_on_gone(void *userdata) {
        Launcher *launcher = userdata;

        launcher_detach(launcher);
        if (launcher_calibrate_next(launcher) < 0)
                sd_event_exit(launcher->config.event, 1);
        launcher->config.detached(launcher, launcher->config.userdata);
}

/* ---- life */

/* Without the zygote no runner can be started. */
static int launcher_on_zygote_gone(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Launcher *launcher = userdata;

        say(SD_ERR, "the zygote ended, so no runner can be started any more: exiting");
        return sd_event_exit(launcher->config.event, 1);
}

static void launcher_init(Launcher *launcher, const LauncherConfig *config, HashQueue *hashes, ReceiverCloser *closer) {
        *launcher = (Launcher){
                .config = *config,
                .hashes = hashes,
                .closer = closer,
                .key = { .path = config->key_path },
        };
        front_link_init(&launcher->front, &(FrontLinkConfig){
                                                          .event = config->event,
                                                          .root = config->equipment->root,
                                                          .asked = launcher_do,
                                                          .gone = launcher_on_gone,
                                                          .userdata = launcher,
                                                          .calls = config->calls,
                                          });
        tickets_init(&launcher->tickets, &(TicketsConfig){
                                                         .identities = config->identities,
                                                         .listening_path = config->listening_path,
                                                         .key = &launcher->key,
                                                         .hashes = launcher->hashes,
                                                         .closer = closer,
                                                         .proven = launcher_on_proven,
                                                         .close_client = launcher_close_client,
                                                         .userdata = launcher,
                                         });
        launcher->vouchings = (VoucherQuestions){
                .identities = config->identities,
                .key = &launcher->key,
                .hashes = launcher->hashes,
                .tell = launcher_on_vouched,
                .userdata = launcher,
        };
        launcher->cache_drop = (CacheDrop){ .event = config->event, .told = launcher_on_dropped, .userdata = launcher };
        leases_ask(config->leases, launcher_probe, launcher);
        launcher->setup = (RunnerSetup){ config->identities, config->leases, &launcher->machine };
        runners_init(&launcher->runners, &(RunnersConfig){
                                                         .event = config->event,
                                                         .zygote = config->zygote,
                                                         .leases = config->leases,
                                                         .equipment = config->equipment,
                                                         .front_pid = config->front_pid,
                                                         .receiver = &launcher->front.receiver,
                                                         .closer = closer,
                                         });
        calibrator_init(&launcher->calibrator, &(CalibratorConfig){
                                                               .event = config->event,
                                                               .runners = &launcher->runners,
                                                               .leases = config->leases,
                                                               .setup = &launcher->setup,
                                                               .clock = &launcher->clock,
                                                               .without_probes = config->without_probes,
                                                               .told = launcher_on_calibrated,
                                                               .userdata = launcher,
                                               });
        launcher->spawning = (SpawningConfig){
                .tickets = &launcher->tickets,
                .runners = &launcher->runners,
                .leases = config->leases,
                .setup = &launcher->setup,
                .require_cpuset = config->require_cpuset,
                .ended = launcher_on_ended,
                .freed = launcher_on_freed,
                .userdata = launcher,
        };
}

int launcher_new(const LauncherConfig *config, Launcher **ret_launcher) {
        _cleanup_(launcher_freep) Launcher *launcher = NULL;
        _cleanup_(hash_queue_freep) HashQueue *hashes = NULL;
        _cleanup_(receiver_closer_freep) ReceiverCloser *closer = NULL;
        int r;

        r = hash_queue_new(config->event, &hashes);
        if (r)
                return error_trace(r);
        r = receiver_closer_new(config->event, config->calls, &closer);
        if (r)
                return error_trace(r);
        launcher = malloc(sizeof *launcher);
        if (!launcher)
                return error_origin(-ENOMEM);
        launcher_init(launcher, config, take_pointer(hashes), take_pointer(closer));
        r = tickets_make_places(&launcher->tickets, config->ticket_files);
        if (r)
                return error_trace(r);

        r = describe_machine(config->equipment->machine, config->leases, config->identities->privileged,
                        &launcher->machine);
        if (r)
                return error_trace(r);

        launcher->machine.ticket_files = config->ticket_files;
        launcher->machine.replay = config->equipment->restorer.replay;
        launcher->machine.runs_left = config->equipment->restorer.runs_left > 0;
        (void)set_governor_describe(config->equipment->machine_lease, &launcher->machine);
        calibrator_clock_choose(&launcher->machine, config->distrust_tsc);
        r = cpu_watch_new(
                        &(CpuWatchConfig){
                                        .event = config->event,
                                        .leases = config->leases,
                                        .equipment = config->equipment,
                                        .tell = launcher_on_cpu,
                                        .userdata = launcher,
                        },
                        &launcher->cpu_watch);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(config->event, &launcher->zygote_source, config->zygote->fd, 0, launcher_on_zygote_gone,
                        launcher);
        if (r < 0)
                return error_origin(r);
        r = calibrator_next(&launcher->calibrator);
        if (r)
                return error_trace(r);
        *ret_launcher = take_pointer(launcher);
        return 0;
}

Launcher *launcher_free(Launcher *launcher) {
        if (!launcher)
                return NULL;
        launcher_detach(launcher);
        leases_ask(launcher->config.leases, NULL, NULL);
        runners_clear(&launcher->runners);
        front_link_clear(&launcher->front);
        sd_event_source_disable_unref(launcher->zygote_source);
        cpu_watch_free(launcher->cpu_watch);
        hash_queue_free(launcher->hashes);
        tickets_clear(&launcher->tickets);
        receiver_closer_free(launcher->closer);
        cache_drop_clear(&launcher->cache_drop);
        free(launcher);
        return NULL;
}

int launcher_attach(Launcher *launcher, int front_fd) {
        int r;

        r = front_link_attach(&launcher->front, front_fd);
        if (r)
                return error_trace(r);
        return error_trace(launcher_send_machine(launcher));
}

bool launcher_is_attached(const Launcher *launcher) {
        return front_link_is_attached(&launcher->front);
}
