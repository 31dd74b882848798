/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/base/message.h"
#include "front/base/share.h"
#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/clients/clients.h"
#include "front/clients/job-requests.h"
#include "front/clients/looks.h"
#include "front/clients/session.h"
#include "front/clients/set-governor.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/history/retention.h"
#include "front/jobs/job.h"
#include "front/jobs/jobs.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/standing.h"
#include "front/report/clock-report.h"
#include "front/report/environment.h"
#include "front/report/machine-controls.h"
#include "front/samples/measurement.h"
#include "ops/build.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

/* ---- use against limits: users see their own, root sees all users' and the sums */

#define NO_USER     ((uid_t)-1)
#define USES_STORED 2u   /* beside the kinds of shares: history and modules */
#define USES_USERS  256u /* that are reported to root */

static int report_add(Arena *arena, Benchd__Status *status, const ShareUse *use, bool bytes, bool sums) {
        Benchd__Use *row = message_new(arena, Benchd__Use, benchd__use);

        if (!row)
                return error_origin(-ENOMEM);
        row->name = arena_text(arena, use->name);
        message_set(row, uid, use->uid);
        message_set(row, held, use->held);
        message_set(row, most, use->most);
        message_set(row, bytes, bytes);
        if (sums) {
                message_set(row, held_by_all, use->held_by_all);
                message_set(row, most_by_all, use->most_by_all);
        }
        status->uses[status->n_uses++] = row;
        return 0;
}

static int report_user(Arena *arena, const JobServices *services, uid_t uid, bool sums, Benchd__Status *status) {
        const RetentionLimits *limits = retention_limits(services->retention);
        ShareUse uses[_SHARE_KINDS_N];
        RetentionUse stored;
        int r = 0;

        share_describe(services->shares, uid, uses);
        for (size_t i = 0; r == 0 && i < _SHARE_KINDS_N; i++)
                r = report_add(arena, status, &uses[i], share_is_bytes(i), sums);
        retention_read_use(services->retention, uid, &stored);
        if (r == 0)
                r = report_add(arena, status,
                                &(ShareUse){ .name = "history",
                                                .uid = uid,
                                                .held = stored.history_bytes,
                                                .most = limits->user_bytes },
                                true, false);
        if (r == 0)
                r = report_add(arena, status,
                                &(ShareUse){ .name = "modules",
                                                .uid = uid,
                                                .held = stored.module_bytes,
                                                .most = limits->module_user_bytes },
                                true, false);
        return r;
}

/* The user after @uid who holds or has stored anything. */
static uid_t next_user(const JobServices *services, uid_t uid) {
        const uid_t holder = share_next_user(services->shares, uid);
        const uid_t keeper = retention_next_user(services->retention, uid);

        return holder < keeper ? holder : keeper; /* NO_USER is the largest */
}

/* Fills in the uses in @status, with parts from @arena, as @uid may see them. Returns 0 or a negative errno. */
static int fill_uses(Arena *arena, const JobServices *services, uid_t uid, Benchd__Status *status) {
        const size_t n_users = uid == 0 ? USES_USERS : 1;
        uid_t user = uid == 0 ? next_user(services, NO_USER) : uid;
        int r = 0;

        status->uses = arena_zero(arena, n_users * (_SHARE_KINDS_N + USES_STORED) * sizeof *status->uses);
        if (!status->uses)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < n_users && user != NO_USER; i++) {
                r = report_user(arena, services, user, uid == 0, status);
                user = uid == 0 ? next_user(services, user) : NO_USER;
        }
        return r;
}

/* ---- the status */

#define STATUS_LOOK_US     20000u   /* the launcher looks at the clock at once, unless it is busy with a lease */
#define STATUS_CLOCK_US    3000000u /* a calibration takes some tenths of a second */
#define STATUS_ACCURACY_US 1000u

#define STATUS_LIST_MAX 4096u

/* ---- built */

static bool cpu_is_busy(const JobServices *services, uint32_t cpu) {
        for (const Job *job = TAILQ_FIRST(&services->jobs); job; job = job_next(job)) {
                const JobView view = job_view(job);

                if (view.cpus && CPU_ISSET(cpu, view.cpus))
                        return true;
        }
        return false;
}

/* The process that keeps @cpu though it was killed; NULL if there is none. */
static const OpsStuck *stuck_on(const OpsMachine *machine, uint32_t cpu) {
        for (uint32_t i = 0; i < machine->n_stuck; i++)
                if (CPU_ISSET(cpu, &machine->stuck[i].cpus))
                        return &machine->stuck[i];
        return NULL;
}

static void warn_of_stuck(const OpsMachine *machine, Arena *arena, ArenaList *warnings) {
        char list[256];

        if (machine->runs_left)
                arena_list_add(warnings, arena,
                                "processes of a run of an earlier daemon were killed and do not die: they disturb what is measured "
                                "beside them; see 'ps -C benchd-runner -o pid,stat,wchan:30'");
        for (uint32_t i = 0; i < machine->n_stuck; i++)
                if (cpu_list_format(&machine->stuck[i].cpus, list, sizeof list) < sizeof list)
                        arena_list_add(warnings, arena,
                                        "process %d of an earlier run was killed and does not die: CPU %s is not lent "
                                        "until it does; see 'ps -o stat,wchan:30 -p %d'",
                                        machine->stuck[i].pid, list, machine->stuck[i].pid);
}

static void add_warnings(Arena *arena, const JobServices *services, Benchd__Status *status) {
        ArenaList warnings = {};

        history_warn(services->history, arena, &warnings);
        if (services->machine)
                machine_controls_warn_replay(&services->machine->replay, arena, &warnings);
        if (services->machine)
                warn_of_stuck(services->machine, arena, &warnings);
        clock_report_warn(arena, status->environment->tsc, &warnings);
        environment_warn(arena, status->environment, &warnings);
        status->warnings = warnings.texts;
        status->n_warnings = warnings.n;
}

static int build_leases(Arena *arena, const JobServices *services, Benchd__Status *status) {
        const OpsMachine *machine = services->machine;

        status->leases = arena_zero(arena, OPS_CPUS_MAX * sizeof *status->leases);
        if (!status->leases)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; machine && i < machine->n_cpus; i++) {
                Benchd__Lease *lease = message_new(arena, Benchd__Lease, benchd__lease);
                const OpsStuck *stuck = stuck_on(machine, machine->cpus[i].cpu);

                if (!lease)
                        return error_origin(-ENOMEM);
                message_set(lease, cpu, machine->cpus[i].cpu);
                message_set(lease, busy, cpu_is_busy(services, machine->cpus[i].cpu) || stuck);
                if (stuck)
                        message_set(lease, stuck_pid, stuck->pid);
                status->leases[status->n_leases++] = lease;
        }
        return 0;
}

/* Absent where it cannot be read. */
static char *online_cpus(Arena *arena, const JobServices *services) {
        char list[STATUS_LIST_MAX];

        if (root_dir_read_line(services->root, "sys/devices/system/cpu/online", list, sizeof list) != 0)
                return NULL;
        return arena_text(arena, list);
}

static Benchd__QueuedJob *build_queued(Arena *arena, const Queue *queue, const JobView *job, uint64_t now_ns) {
        Benchd__QueuedJob *queued = message_new(arena, Benchd__QueuedJob, benchd__queued_job);
        MeasurementCount count;

        if (!queued)
                return NULL;
        queued->run_id = arena_text(arena, job->record->run_id);
        queued->module_name = arena_text(arena, job->record->module_name);
        message_set(queued, uid, job->uid);
        queued->standing = job->due_ns > 0 ? standing_of_rest(job->due_ns, now_ns, arena)
                                           : standing_of_place(queue, job->place, now_ns, arena);
        if (!job->measurement)
                return queued;
        count = measurement_count(job->measurement);
        message_set(queued, process, count.processes_done);
        message_set(queued, processes, count.processes);
        message_set(queued, left_ns, count.left_ns);
        return queued;
}

/* Adds the jobs that the user of @session may see, and what a new one would wait for. */
static int build_queue(Arena *arena, const Session *session, Benchd__Status *status) {
        const JobServices *services = session->clients->services;
        const uint64_t now_ns = time_monotonic_ns();
        const uint64_t left_ns = queue_core_left_ns(&services->queue, session->client.uid, now_ns);

        status->queue = arena_zero(arena, STANDING_MAX * sizeof *status->queue);
        status->next = standing_of_next(&services->queue, session->client.uid, now_ns, arena);
        if (!status->queue || !status->next)
                return error_origin(-ENOMEM);
        for (const Job *job = TAILQ_FIRST(&services->jobs); job && status->n_queue < STANDING_MAX;
                        job = job_next(job)) {
                const JobView view = job_view(job);

                if (!view.record || !job_requests_may_see(session, view.uid))
                        continue;
                status->queue[status->n_queue] = build_queued(arena, &services->queue, &view, now_ns);
                if (!status->queue[status->n_queue++])
                        return error_origin(-ENOMEM);
        }
        if (left_ns == UINT64_MAX)
                return 0;
        message_set(status, core_left_ns, left_ns);
        message_set(status, core_per_hour_ns, services->queue.core_per_hour);
        return 0;
}

static int build_turns(Arena *arena, const Turns *turns, Benchd__Status *status) {
        status->turns = arena_zero(arena, _TURN_KINDS_N * sizeof *status->turns);
        if (!status->turns)
                return error_origin(-ENOMEM);
        for (TurnKind kind = 0; turns && kind < _TURN_KINDS_N; kind++) {
                Benchd__LoopTurns *row;

                if (turns->tallies[kind].n == 0)
                        continue;
                row = message_new(arena, Benchd__LoopTurns, benchd__loop_turns);
                if (!row)
                        return error_origin(-ENOMEM);
                row->kind = arena_text(arena, turn_kind_word(kind));
                message_set(row, turns, turns->tallies[kind].n);
                message_set(row, longest_ns, turns->tallies[kind].longest_ns);
                status->turns[status->n_turns++] = row;
        }
        return 0;
}

static int status_build(Arena *arena, const Session *session, Benchd__Status **ret_status) {
        const Clients *clients = session->clients;
        const JobServices *services = clients->services;
        Benchd__Status *status = message_new(arena, Benchd__Status, benchd__status);
        uint32_t n_queued = 0, n_running = 0;

        if (!status)
                return error_origin(-ENOMEM);
        for (const Job *job = TAILQ_FIRST(&services->jobs); job; job = job_next(job)) {
                const JobView view = job_view(job);

                n_queued += view.state < JOB_MEASURING || view.state == JOB_PAUSED || view.state == JOB_RESTING;
                n_running += view.cpus != NULL;
        }
        status->daemon = arena_text(arena, "benchd " BENCHD_VERSION);
        status->build = arena_text(arena, build_text());
        if (launch_link_is_greeted(services->link))
                status->launcher = arena_text(arena, "benchd-launch " BENCHD_VERSION);
        message_set(status, uptime_ns, time_monotonic_ns() - clients->started_ns);
        message_set(status, queued, n_queued);
        message_set(status, running, n_running);
        message_set(status, jobs_done, services->n_done);
        status->environment = environment_build(arena, services->host, services->machine, NULL,
                        environment_read_load(services->root));
        status->online_cpus = online_cpus(arena, services);
        if (!status->environment || build_leases(arena, services, status) || build_queue(arena, session, status) ||
                        fill_uses(arena, services, session->client.uid, status) ||
                        build_turns(arena, services->turns, status))
                return error_origin(-ENOMEM);
        message_set(status, calibrating, jobs_await_clock(services));
        message_set_finite(status->environment, memory_stall, environment_read_memory_stall(services->root));
        status->environment->power_source = arena_text(arena, environment_read_power_source(services->root));
        if (services->machine && set_governor_fill_status(arena, services->machine, status))
                return error_origin(-ENOMEM);
        add_warnings(arena, services, status);
        *ret_status = status;
        return error_trace(arena_check(arena));
}

/* ---- asked for */

static void status_answer(Session *session, uint64_t id) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || status_build(arena, session, &reply.status))
                session->broken = true;
        else
                session_reply(session, id, true, &reply);
}

static void status_request_free(StatusRequest *ask) {
        ask->session->status_request = NULL;
        sd_event_source_disable_unref(ask->due);
        LIST_REMOVE(ask, requests);
        free(ask);
}

static int status_on_due(sd_event_source *source, uint64_t usec, void *userdata) {
        StatusRequest *ask = userdata;
        Session *session = ask->session;
        const uint64_t id = ask->id;

        turns_note(session->clients->services->turns, TURN_REQUEST, session->client.uid);
        status_request_free(ask);
        status_answer(session, id);
        return 0;
}

/* Waits for a look, where the launcher can be asked for one. */
static bool status_wait(Session *session, uint64_t id, bool awaits_clock) {
        Clients *clients = session->clients;
        StatusRequest *ask;

        ask = malloc(sizeof *ask);
        if (!ask)
                return false;
        *ask = (StatusRequest){ .session = session, .id = id, .awaits_clock = awaits_clock };
        ask->look = looks_ask(&clients->looks);
        if (ask->look == 0 || sd_event_add_time_relative(clients->services->event, &ask->due, CLOCK_MONOTONIC,
                                              awaits_clock ? STATUS_CLOCK_US : STATUS_LOOK_US, STATUS_ACCURACY_US,
                                              status_on_due, ask) < 0) {
                free(ask);
                return false;
        }
        LIST_INSERT_HEAD(&clients->status_requests, ask, requests);
        session->status_request = ask;
        return true;
}

void status_request(Session *session, const Benchd__Request *request) {
        const Clients *clients = session->clients;
        const bool awaits_clock = request->status->has_await_clock && request->status->await_clock;
        const bool is_busy = jobs_await_clock(clients->services) ||
                             looks_is_late(&clients->looks, time_monotonic_ns(), STATUS_LOOK_US * UINT64_C(1000));

        if (session->status_request || (is_busy && !awaits_clock) || !status_wait(session, request->id, awaits_clock))
                status_answer(session, request->id);
}

void status_retry(Clients *clients) {
        const JobServices *services = clients->services;
        StatusRequest *ask;

        LIST_FOREACH(ask, &clients->status_requests, requests) {
                if (looks_is_done(&clients->looks, ask->look) && (!ask->awaits_clock || !jobs_await_clock(services)))
                        (void)slices_again(ask->due, turns_priority(services->turns, ask->session->client.uid));
        }
}

static void status_on_look(void *userdata) {
        status_retry(userdata);
}

int status_init(Clients *clients) {
        return error_trace(looks_init(&clients->looks, clients->services, status_on_look, clients));
}

void status_forget(Session *session) {
        if (session->status_request)
                status_request_free(session->status_request);
}
