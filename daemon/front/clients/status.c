/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/status.h"

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/base/message.h"
#include "front/clients/clients.h"
#include "front/clients/session.h"
#include "front/clients/set-governor.h"
#include "front/history/history.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "front/report/clock-report.h"
#include "front/report/environment.h"
#include "front/report/machine-controls.h"
#include "ops/ops.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

#define STATUS_PATIENCE_US 3000000u /* a calibration takes some tenths of a second */
#define STATUS_ACCURACY_US 1000u

#define STATUS_LIST_MAX 4096u

/* ---- built */

static bool cpu_is_busy(const JobServices *services, uint32_t cpu) {
        const Job *job;

        TAILQ_FOREACH(job, &services->jobs, jobs) {
                if (job->process != 0 && CPU_ISSET(cpu, &job->cpus))
                        return true;
        }
        return false;
}

static void add_warnings(Arena *arena, const JobServices *services, Benchd__Status *status) {
        TextList warnings = {};

        if (history_trouble(services->history)[0])
                text_list_add(&warnings, arena, "%s", history_trouble(services->history));
        if (services->machine)
                machine_controls_warn_replay(&services->machine->replay, arena, &warnings);
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

                if (!lease)
                        return error_origin(-ENOMEM);
                message_set(lease, cpu, machine->cpus[i].cpu);
                message_set(lease, busy, cpu_is_busy(services, machine->cpus[i].cpu));
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

static int status_build(Arena *arena, const Clients *clients, Benchd__Status **ret_status) {
        const JobServices *services = clients->services;
        Benchd__Status *status = message_new(arena, Benchd__Status, benchd__status);
        uint32_t n_queued = 0, n_running = 0;
        const Job *job;

        if (!status)
                return error_origin(-ENOMEM);
        TAILQ_FOREACH(job, &services->jobs, jobs) {
                n_queued += job->state != JOB_OVER && job->state != JOB_MEASURING;
                n_running += job->process != 0;
        }
        status->daemon = arena_text(arena, "benchd " BENCHD_VERSION);
        message_set(status, uptime_ns, time_monotonic_ns() - clients->started_ns);
        message_set(status, queued, n_queued);
        message_set(status, running, n_running);
        message_set(status, jobs_done, services->n_done);
        status->environment = environment_build(arena, services->host, services->machine, NULL,
                        environment_read_load(services->root));
        status->online_cpus = online_cpus(arena, services);
        if (!status->environment || build_leases(arena, services, status))
                return error_origin(-ENOMEM);
        message_set_finite(status->environment, memory_stall, environment_read_memory_stall(services->root));
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

        if (arena_new(&arena) || status_build(arena, session->clients, &reply.status))
                session->broken = true;
        else
                session_reply(session, id, true, &reply);
}

static void status_ask_free(StatusRequest *ask) {
        if (ask->session)
                ask->session->status_request = NULL;
        sd_event_source_disable_unref(ask->patience);
        LIST_REMOVE(ask, requests);
        free(ask);
}

static void status_ask_end(StatusRequest *ask) {
        if (ask->session)
                status_answer(ask->session, ask->id);
        status_ask_free(ask);
}

static int status_on_impatient(sd_event_source *source, uint64_t usec, void *userdata) {
        status_ask_end(userdata);
        return 0;
}

static void status_on_refined(void *userdata, OpsPacket *packet) {
        StatusRequest *ask = userdata;
        const JobServices *services = ask->session ? ask->session->clients->services : NULL;

        if (!services || job_clock(services, -1) ||
                        sd_event_add_time_relative(services->event, &ask->patience, CLOCK_MONOTONIC, STATUS_PATIENCE_US,
                                        STATUS_ACCURACY_US, status_on_impatient, ask) < 0)
                status_ask_end(ask);
}

/* Returns false where the launcher cannot be asked. */
static bool status_ask_launcher(Session *session, uint64_t id) {
        LaunchLink *link = session->clients->services->link;
        OpsRecord record;
        StatusRequest *ask;

        ask = link && !session->status_request ? malloc(sizeof *ask) : NULL;
        if (!ask)
                return false;
        memset(&record, 0, sizeof record);
        record.kind = OPS_REFINE;
        *ask = (StatusRequest){ .session = session, .id = id };
        if (launch_link_ask(link, &record, NULL, 0, status_on_refined, ask)) {
                free(ask);
                return false;
        }
        LIST_INSERT_HEAD(&session->clients->status_requests, ask, requests);
        session->status_request = ask;
        return true;
}

void status_request(Session *session, const Benchd__Request *request) {
        if (!status_ask_launcher(session, request->id))
                status_answer(session, request->id);
}

void status_retry(Clients *clients) {
        StatusRequest *ask, *next;

        if (!job_clock(clients->services, -1))
                return;
        for (ask = LIST_FIRST(&clients->status_requests); ask; ask = next) {
                next = LIST_NEXT(ask, requests);
                if (ask->patience)
                        status_ask_end(ask);
        }
}

void status_forget(Session *session) {
        StatusRequest *ask = session->status_request;

        if (!ask)
                return;
        if (ask->patience)
                status_ask_free(ask);
        else
                ask->session = NULL;
}

void status_free_all(Clients *clients) {
        while (!LIST_EMPTY(&clients->status_requests))
                status_ask_free(LIST_FIRST(&clients->status_requests));
}
