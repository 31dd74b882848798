/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/daemon.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "front/base/log.h"
#include "front/clients/governor-ask.h"
#include "front/clients/listener.h"
#include "front/clients/session.h"
#include "front/clients/status-ask.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "front/report/clock-report.h"
#include "proto/frame-queue.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

#define DAEMON_RETRY_NS NS_PER_S

/* ---- what is in use */

PolicyUse daemon_count_sessions(const Daemon *daemon, uid_t uid) {
        const Session *session;
        PolicyUse use = {};

        TAILQ_FOREACH(session, &daemon->sessions, sessions) {
                use.all++;
                use.user += session->uid == uid;
        }
        return use;
}

PolicyUse daemon_count_jobs(const Daemon *daemon, uid_t uid) {
        const Job *job;
        PolicyUse use = {};

        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                use.all++;
                use.user += job->uid == uid;
        }
        return use;
}

Job *daemon_find_job(const Daemon *daemon, const char *run_id) {
        Job *job;

        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                if (job_is_known(job) && strcmp(job->record->run_id, run_id) == 0)
                        return job;
        }
        return NULL;
}

size_t daemon_count_unread(const Daemon *daemon, uid_t uid) {
        const Session *session;
        size_t n = 0;

        TAILQ_FOREACH(session, &daemon->sessions, sessions) {
                if (session->uid == uid && session->queue)
                        n += frame_queue_pending(session->queue);
        }
        return n;
}

const ClockFacts *daemon_clock(const Daemon *daemon, int cpu) {
        return daemon->has_machine ? clock_report_facts(&daemon->machine, cpu) : NULL;
}

/* ---- after each turn of the loop */

static void daemon_sweep_sessions(Daemon *daemon) {
        Session *session = TAILQ_FIRST(&daemon->sessions);
        bool freed = false;

        while (session) {
                Session *next = TAILQ_NEXT(session, sessions);

                if (session->broken) {
                        session_free(session);
                        freed = true;
                }
                session = next;
        }
        if (freed)
                listener_wake(daemon->listener);
}

static void daemon_sweep_jobs(Daemon *daemon) {
        Job *job = TAILQ_FIRST(&daemon->jobs);

        while (job) {
                Job *next = TAILQ_NEXT(job, of_daemon);

                if (job_is_finished(job)) {
                        job_free(job);
                        daemon->jobs_done++;
                }
                job = next;
        }
}

/* Before the first CPU is calibrated there is nothing to measure on; once all are given up on, the launcher says so. */
static bool daemon_awaits_clock(const Daemon *daemon) {
        return !daemon_clock(daemon, -1) && !(daemon->has_machine && daemon->machine.threads_max == 0);
}

/* Begins to measure the next job. Returns it if it was over at once, else NULL. */
static Job *daemon_advance_queue(Daemon *daemon) {
        Job *job, *other;

        if (daemon_awaits_clock(daemon))
                return NULL;
        job = queue_advance(&daemon->queue);
        if (!job)
                return NULL;
        job_measure(job);
        TAILQ_FOREACH(other, &daemon->jobs, of_daemon) {
                if (other->state == JOB_QUEUED)
                        job_reply_stage(other, BENCHD__PROGRESS__STAGE__QUEUED);
        }
        return job_is_finished(job) ? job : NULL;
}

/* `systemctl status` shows it. Nothing to tell where nothing changed. */
static void daemon_tell_status(Daemon *daemon) {
        unsigned n_jobs = 0, n_running = 0;
        const Job *job;

        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                n_jobs++;
                n_running += job->process != 0;
        }
        if (n_jobs == daemon->told_jobs && n_running == daemon->told_running)
                return;
        daemon->told_jobs = n_jobs;
        daemon->told_running = n_running;
        (void)sd_notifyf(false, "STATUS=%u job%s, %u running", n_jobs, n_jobs == 1 ? "" : "s", n_running);
}

static int daemon_on_sweep(sd_event_source *source, void *userdata) {
        Daemon *daemon = userdata;

        do {
                daemon_sweep_sessions(daemon);
                daemon_sweep_jobs(daemon);
        } while (daemon_advance_queue(daemon));
        daemon_tell_status(daemon);
        return 0;
}

/* ---- places for runners */

void daemon_place_is_free(Daemon *daemon) {
        Job *job;

        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                job_retry(job);
        }
}

static int daemon_on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        daemon_place_is_free(userdata);
        return 0;
}

void daemon_wait_for_place(Daemon *daemon) {
        (void)sd_event_source_set_time_relative(daemon->retry, DAEMON_RETRY_NS / 1000);
        (void)sd_event_source_set_enabled(daemon->retry, SD_EVENT_ONESHOT);
}

/* ---- the launcher */

static void daemon_on_machine(void *userdata, const OpsMachine *machine) {
        Daemon *daemon = userdata;

        daemon->machine = *machine;
        daemon->has_machine = true;
        status_asks_retry(daemon);
        daemon_place_is_free(daemon);
}

static void daemon_on_closed(void *userdata) {
        Daemon *daemon = userdata;

        log_say(LOG_LAUNCH_LOST, NULL, NULL);
        (void)sd_event_exit(daemon->event, EXIT_FAILURE);
}

/* ---- life */

static int daemon_add_sources(Daemon *daemon) {
        int r;

        r = sd_event_add_post(daemon->event, &daemon->sweep, daemon_on_sweep, daemon);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(daemon->event, &daemon->retry, CLOCK_MONOTONIC, 0, 0, daemon_on_retry, daemon);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_enabled(daemon->retry, SD_EVENT_OFF);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_signal(daemon->event, NULL, SIGTERM, NULL, NULL);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_signal(daemon->event, NULL, SIGINT, NULL, NULL);
        if (r < 0)
                return error_origin(r);
        r = sd_event_set_watchdog(daemon->event, true);
        return r < 0 ? error_origin(r) : 0;
}

/* Modules that cannot be kept are no reason not to measure. */
static void daemon_open_keeper(Daemon *daemon, const char *state_path) {
        _cleanup_(freep) char *path = NULL;

        if (asprintf(&path, "%s/modules", state_path) < 0)
                return;
        if (module_store_new(path, daemon->config.module_quota_bytes, daemon->history, &daemon->store))
                log_say(LOG_HISTORY_UNWRITTEN, NULL, "modules cannot be kept in %s", path);
}

static int daemon_open_state(Daemon *daemon, const char *state_path) {
        int r;

        r = history_new(state_path, time_realtime_ns(), &daemon->history);
        if (r)
                return error_trace(r);
        if (history_trouble(daemon->history)[0])
                log_say(history_is_kept(daemon->history) ? LOG_HISTORY_SET_ASIDE : LOG_HISTORY_UNWRITTEN, NULL, "%s",
                                history_trouble(daemon->history));
        if (state_path && history_is_kept(daemon->history))
                daemon_open_keeper(daemon, state_path);
        return 0;
}

static int daemon_connect(Daemon *daemon, int clients_fd, int launch_fd) {
        const LaunchLinkHandlers handlers = {
                .machine = daemon_on_machine,
                .closed = daemon_on_closed,
                .userdata = daemon,
        };
        int r;

        r = launch_link_new(daemon->event, launch_fd, &handlers, &daemon->link);
        if (r)
                return error_trace(r);
        return error_trace(listener_new(daemon, clients_fd, &daemon->listener));
}

static void daemon_on_nobody(void *context, const char *name) {
        log_say(LOG_CONFIG, NULL, "set_governor: there is no %s", name);
}

int daemon_new(const DaemonConfig *config, Daemon **ret_manager) {
        _cleanup_(daemon_freep) Daemon *daemon = NULL;
        int r;

        daemon = calloc(1, sizeof *daemon);
        if (!daemon)
                return error_origin(-ENOMEM);
        TAILQ_INIT(&daemon->sessions);
        TAILQ_INIT(&daemon->jobs);
        LIST_INIT(&daemon->status_asks);
        LIST_INIT(&daemon->governor_asks);
        daemon->config = *config->config;
        queue_init(&daemon->queue, daemon->config.at_once);
        allow_list_init(&daemon->may_set_governor, daemon->config.set_governor, daemon_on_nobody, NULL);
        daemon->started_ns = time_monotonic_ns();

        r = root_dir_new("/", &daemon->root);
        if (r)
                return error_trace(r);
        environment_read_host(daemon->root, &daemon->host);
        r = sd_event_default(&daemon->event);
        if (r < 0)
                return error_origin(r);
        r = daemon_add_sources(daemon);
        if (r)
                return error_trace(r);
        r = daemon_open_state(daemon, config->state_path);
        if (r)
                return error_trace(r);
        r = daemon_connect(daemon, config->clients_fd, config->launch_fd);
        if (r)
                return error_trace(r);
        *ret_manager = take_pointer(daemon);
        return 0;
}

Daemon *daemon_free(Daemon *daemon) {
        if (!daemon)
                return NULL;
        while (!TAILQ_EMPTY(&daemon->jobs))
                job_free(TAILQ_FIRST(&daemon->jobs));
        while (!TAILQ_EMPTY(&daemon->sessions))
                session_free(TAILQ_FIRST(&daemon->sessions));
        module_store_free(daemon->store);
        history_free(daemon->history);
        listener_free(daemon->listener);
        launch_link_free(daemon->link);
        status_asks_free(daemon);
        governor_asks_free(daemon);
        sd_event_source_disable_unref(daemon->sweep);
        sd_event_source_disable_unref(daemon->retry);
        sd_event_unref(daemon->event);
        root_dir_free(daemon->root);
        free(daemon);
        return NULL;
}

int daemon_run(Daemon *daemon) {
        int r;

        r = sd_notify(false, "READY=1\nSTATUS=0 jobs, 0 running");
        if (r < 0)
                return error_origin(r);
        r = launch_link_ready(daemon->link);
        if (r)
                return error_trace(r);
        log_say(LOG_STARTED, NULL, "version %s", BENCHD_VERSION);
        r = sd_event_loop(daemon->event);
        (void)sd_notify(false, "STOPPING=1");
        log_say(LOG_STOPPED, NULL, "%" PRIu64 " jobs done", daemon->jobs_done);
        return r < 0 ? error_origin(r) : r;
}
