/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/manager.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "front/clock.h"
#include "front/governor-ask.h"
#include "front/history.h"
#include "front/job-reply.h"
#include "front/job.h"
#include "front/journal.h"
#include "front/keeper.h"
#include "front/launch-link.h"
#include "front/listener.h"
#include "front/record.h"
#include "front/session.h"
#include "front/status-ask.h"
#include "proto/frame-queue.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

#define MANAGER_RETRY_NS NS_PER_S

/* ---- what is in use */

PolicyUse manager_count_sessions(const Manager *manager, uid_t uid) {
        const Session *session;
        PolicyUse use = {};

        TAILQ_FOREACH(session, &manager->sessions, sessions) {
                use.all++;
                use.user += session->uid == uid;
        }
        return use;
}

PolicyUse manager_count_jobs(const Manager *manager, uid_t uid) {
        const Job *job;
        PolicyUse use = {};

        TAILQ_FOREACH(job, &manager->jobs, of_manager) {
                use.all++;
                use.user += job->uid == uid;
        }
        return use;
}

Job *manager_find_job(const Manager *manager, const char *run_id) {
        Job *job;

        TAILQ_FOREACH(job, &manager->jobs, of_manager) {
                if (job_is_known(job) && strcmp(job->record->run_id, run_id) == 0)
                        return job;
        }
        return NULL;
}

size_t manager_count_unread(const Manager *manager, uid_t uid) {
        const Session *session;
        size_t n = 0;

        TAILQ_FOREACH(session, &manager->sessions, sessions) {
                if (session->uid == uid && session->queue)
                        n += frame_queue_pending(session->queue);
        }
        return n;
}

const ClockFacts *manager_clock(const Manager *manager, int cpu) {
        return manager->has_machine ? machine_clock(&manager->machine, cpu) : NULL;
}

/* ---- after each turn of the loop */

static void manager_sweep_sessions(Manager *manager) {
        Session *session = TAILQ_FIRST(&manager->sessions);
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
                listener_wake(manager->listener);
}

static void manager_sweep_jobs(Manager *manager) {
        Job *job = TAILQ_FIRST(&manager->jobs);

        while (job) {
                Job *next = TAILQ_NEXT(job, of_manager);

                if (job_is_finished(job)) {
                        job_free(job);
                        manager->jobs_done++;
                }
                job = next;
        }
}

/* Before the first CPU is calibrated there is nothing to measure on; once all are given up on, the launcher says so. */
static bool manager_awaits_clock(const Manager *manager) {
        return !manager_clock(manager, -1) && !(manager->has_machine && manager->machine.threads_max == 0);
}

/* Begins to measure the next job. Returns it if it was over at once, else NULL. */
static Job *manager_advance_queue(Manager *manager) {
        Job *job, *other;

        if (manager_awaits_clock(manager))
                return NULL;
        job = queue_advance(&manager->queue);
        if (!job)
                return NULL;
        job_measure(job);
        TAILQ_FOREACH(other, &manager->jobs, of_manager) {
                if (other->state == JOB_QUEUED)
                        job_reply_stage(other, BENCHD__PROGRESS__STAGE__QUEUED);
        }
        return job_is_finished(job) ? job : NULL;
}

/* `systemctl status` shows it. Nothing to tell where nothing changed. */
static void manager_tell_status(Manager *manager) {
        unsigned n_jobs = 0, n_running = 0;
        const Job *job;

        TAILQ_FOREACH(job, &manager->jobs, of_manager) {
                n_jobs++;
                n_running += job->process != 0;
        }
        if (n_jobs == manager->told_jobs && n_running == manager->told_running)
                return;
        manager->told_jobs = n_jobs;
        manager->told_running = n_running;
        (void)sd_notifyf(false, "STATUS=%u job%s, %u running", n_jobs, n_jobs == 1 ? "" : "s", n_running);
}

static int manager_on_sweep(sd_event_source *source, void *userdata) {
        Manager *manager = userdata;

        do {
                manager_sweep_sessions(manager);
                manager_sweep_jobs(manager);
        } while (manager_advance_queue(manager));
        manager_tell_status(manager);
        return 0;
}

/* ---- places for runners */

void manager_place_is_free(Manager *manager) {
        Job *job;

        TAILQ_FOREACH(job, &manager->jobs, of_manager) {
                job_retry(job);
        }
}

static int manager_on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        manager_place_is_free(userdata);
        return 0;
}

void manager_wait_for_place(Manager *manager) {
        (void)sd_event_source_set_time_relative(manager->retry, MANAGER_RETRY_NS / 1000);
        (void)sd_event_source_set_enabled(manager->retry, SD_EVENT_ONESHOT);
}

/* ---- the launcher */

static void manager_on_machine(void *userdata, const OpsMachine *machine) {
        Manager *manager = userdata;

        manager->machine = *machine;
        manager->has_machine = true;
        status_asks_retry(manager);
        manager_place_is_free(manager);
}

static void manager_on_closed(void *userdata) {
        Manager *manager = userdata;

        journal_say(JOURNAL_LAUNCH_LOST, NULL, NULL);
        (void)sd_event_exit(manager->event, EXIT_FAILURE);
}

/* ---- life */

static int manager_add_sources(Manager *manager) {
        int r;

        r = sd_event_add_post(manager->event, &manager->sweep, manager_on_sweep, manager);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(manager->event, &manager->retry, CLOCK_MONOTONIC, 0, 0, manager_on_retry,
                        manager);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_enabled(manager->retry, SD_EVENT_OFF);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_signal(manager->event, NULL, SIGTERM, NULL, NULL);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_signal(manager->event, NULL, SIGINT, NULL, NULL);
        if (r < 0)
                return error_origin(r);
        r = sd_event_set_watchdog(manager->event, true);
        return r < 0 ? error_origin(r) : 0;
}

/* Modules that cannot be kept are no reason not to measure. */
static void manager_open_keeper(Manager *manager, const char *state_path) {
        _cleanup_(freep) char *path = NULL;

        if (asprintf(&path, "%s/modules", state_path) < 0)
                return;
        if (keeper_new(path, manager->config.module_quota_bytes, manager->history, &manager->keeper))
                journal_say(JOURNAL_HISTORY_UNWRITTEN, NULL, "modules cannot be kept in %s", path);
}

static int manager_open_state(Manager *manager, const char *state_path) {
        int r;

        r = history_new(state_path, time_realtime_ns(), &manager->history);
        if (r)
                return error_trace(r);
        if (history_trouble(manager->history)[0])
                journal_say(history_is_kept(manager->history) ? JOURNAL_HISTORY_SET_ASIDE : JOURNAL_HISTORY_UNWRITTEN,
                                NULL, "%s", history_trouble(manager->history));
        if (state_path && history_is_kept(manager->history))
                manager_open_keeper(manager, state_path);
        return 0;
}

static int manager_connect(Manager *manager, int clients_fd, int launch_fd) {
        const LaunchLinkHandlers handlers = {
                .machine = manager_on_machine,
                .closed = manager_on_closed,
                .userdata = manager,
        };
        int r;

        r = launch_link_new(manager->event, launch_fd, &handlers, &manager->link);
        if (r)
                return error_trace(r);
        return error_trace(listener_new(manager, clients_fd, &manager->listener));
}

static void manager_on_nobody(void *context, const char *name) {
        journal_say(JOURNAL_CONFIG, NULL, "set_governor: there is no %s", name);
}

int manager_new(const ManagerConfig *config, Manager **ret_manager) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        int r;

        manager = calloc(1, sizeof *manager);
        if (!manager)
                return error_origin(-ENOMEM);
        TAILQ_INIT(&manager->sessions);
        TAILQ_INIT(&manager->jobs);
        LIST_INIT(&manager->status_asks);
        LIST_INIT(&manager->governor_asks);
        manager->config = *config->config;
        queue_init(&manager->queue, manager->config.at_once);
        who_init(&manager->may_set_governor, config_who(manager->config.set_governor), manager_on_nobody, NULL);
        manager->started_ns = time_monotonic_ns();

        r = root_dir_new("/", &manager->root);
        if (r)
                return error_trace(r);
        host_read(manager->root, &manager->host);
        r = sd_event_default(&manager->event);
        if (r < 0)
                return error_origin(r);
        r = manager_add_sources(manager);
        if (r)
                return error_trace(r);
        r = manager_open_state(manager, config->state_path);
        if (r)
                return error_trace(r);
        r = manager_connect(manager, config->clients_fd, config->launch_fd);
        if (r)
                return error_trace(r);
        *ret_manager = take_pointer(manager);
        return 0;
}

Manager *manager_free(Manager *manager) {
        if (!manager)
                return NULL;
        while (!TAILQ_EMPTY(&manager->jobs))
                job_free(TAILQ_FIRST(&manager->jobs));
        while (!TAILQ_EMPTY(&manager->sessions))
                session_free(TAILQ_FIRST(&manager->sessions));
        keeper_free(manager->keeper);
        history_free(manager->history);
        listener_free(manager->listener);
        launch_link_free(manager->link);
        status_asks_free(manager);
        governor_asks_free(manager);
        sd_event_source_disable_unref(manager->sweep);
        sd_event_source_disable_unref(manager->retry);
        sd_event_unref(manager->event);
        root_dir_free(manager->root);
        free(manager);
        return NULL;
}

int manager_run(Manager *manager) {
        int r;

        r = sd_notify(false, "READY=1\nSTATUS=0 jobs, 0 running");
        if (r < 0)
                return error_origin(r);
        r = launch_link_ready(manager->link);
        if (r)
                return error_trace(r);
        journal_say(JOURNAL_STARTED, NULL, "version %s", BENCHD_VERSION);
        r = sd_event_loop(manager->event);
        (void)sd_notify(false, "STOPPING=1");
        journal_say(JOURNAL_STOPPED, NULL, "%" PRIu64 " jobs done", manager->jobs_done);
        return r < 0 ? error_origin(r) : r;
}
