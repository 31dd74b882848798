/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/manager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "front/job.h"
#include "front/launch-link.h"
#include "front/listener.h"
#include "front/session.h"
#include "proto/frame.h"
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

/* Begins to measure the next job. Returns it if it was over at once, else NULL. */
static Job *manager_advance_queue(Manager *manager) {
        Job *job, *other;

        if (!manager_clock(manager, -1))
                return NULL;
        job = queue_advance(&manager->queue);
        if (!job)
                return NULL;
        job_measure(job);
        TAILQ_FOREACH(other, &manager->jobs, of_manager) {
                if (other->state == JOB_QUEUED)
                        job_tell_position(other);
        }
        return job_is_finished(job) ? job : NULL;
}

static int manager_on_sweep(sd_event_source *source, void *userdata) {
        Manager *manager = userdata;

        do {
                manager_sweep_sessions(manager);
                manager_sweep_jobs(manager);
        } while (manager_advance_queue(manager));
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
        manager_place_is_free(manager);
}

static void manager_on_closed(void *userdata) {
        Manager *manager = userdata;

        fprintf(stderr, "benchd: benchd-launch is gone; no job can run without it.\n");
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

int manager_new(int clients_fd, int launch_fd, Manager **ret_manager) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        int r;

        manager = calloc(1, sizeof *manager);
        if (!manager)
                return error_origin(-ENOMEM);
        TAILQ_INIT(&manager->sessions);
        TAILQ_INIT(&manager->jobs);
        queue_init(&manager->queue);
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
        r = manager_connect(manager, clients_fd, launch_fd);
        if (r)
                return error_trace(r);
        *ret_manager = take_pointer(manager);
        return 0;
}

Manager *manager_free(Manager *manager) {
        if (!manager)
                return NULL;
        while (!TAILQ_EMPTY(&manager->sessions))
                session_free(TAILQ_FIRST(&manager->sessions));
        while (!TAILQ_EMPTY(&manager->jobs))
                job_free(TAILQ_FIRST(&manager->jobs));
        listener_free(manager->listener);
        launch_link_free(manager->link);
        sd_event_source_disable_unref(manager->sweep);
        sd_event_source_disable_unref(manager->retry);
        sd_event_unref(manager->event);
        root_dir_free(manager->root);
        free(manager);
        return NULL;
}

int manager_run(Manager *manager) {
        int r;

        r = sd_notify(false, "READY=1");
        if (r < 0)
                return error_origin(r);
        r = sd_event_loop(manager->event);
        (void)sd_notify(false, "STOPPING=1");
        return r < 0 ? error_origin(r) : r;
}
