/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The daemon's state: one loop, one link to the launcher, the connections, the jobs, and the queue between them.
 *
 * Whoever finds that a connection is broken or a job is over says so in it and goes on; both are swept up after each
 * turn of the loop, so that nobody frees what a caller still holds. The same sweep moves the queue.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/allow-list.h"
#include "front/base/config.h"
#include "front/clients/policy.h"
#include "front/jobs/queue.h"
#include "front/report/environment.h"
#include "ops/ops.h"
#include "util/cleanup.h"

typedef struct History History;
typedef struct Job Job;
typedef struct ModuleStore ModuleStore;
typedef struct LaunchLink LaunchLink;
typedef struct Listener Listener;
typedef struct RootDir RootDir;
typedef struct Session Session;
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

typedef struct Daemon {
        sd_event *event;
        sd_event_source *sweep;
        sd_event_source *retry; /* for runners that found no place, where nothing else tells that one is free */
        LaunchLink *link;
        Listener *listener;
        RootDir *root;
        Config config;
        AllowList may_set_governor;
        History *history;
        ModuleStore *store; /* NULL: modules are not kept */
        Host host;
        OpsMachine machine;
        bool has_machine;
        TAILQ_HEAD(, Session) sessions;
        TAILQ_HEAD(, Job) jobs;
        LIST_HEAD(, StatusAsk) status_asks;
        LIST_HEAD(, GovernorAsk) governor_asks;
        Queue queue;
        uint64_t started_ns; /* CLOCK_MONOTONIC */
        uint64_t jobs_done;
        unsigned told_jobs; /* in the last status text */
        unsigned told_running;
} Daemon;

/* What a daemon is made of. */
typedef struct DaemonConfig {
        int clients_fd;         /* where clients connect; taken */
        int launch_fd;          /* to benchd-launch; taken */
        const char *state_path; /* the directory of history and modules; NULL: nothing outlives the daemon */
        const Config *config;   /* copied */
} DaemonConfig;

/* Serves clients on one socket and asks benchd-launch on the other. Returns 0 or a negative errno. */
int daemon_new(const DaemonConfig *config, Daemon **ret_manager);
Daemon *daemon_free(Daemon *daemon);

DEFINE_CLEANUP(Daemon *, daemon_free)

/* Runs until a signal ends it. Returns the exit status of the program, or a negative errno. */
int daemon_run(Daemon *daemon);

/* The job @run_id, if it was accepted and is not over. */
Job *daemon_find_job(const Daemon *daemon, const char *run_id);

/* What is in use, in all and by @uid. */
PolicyUse daemon_count_sessions(const Daemon *daemon, uid_t uid);
PolicyUse daemon_count_jobs(const Daemon *daemon, uid_t uid);

/* The bytes of replies that clients of @uid have not read. */
size_t daemon_count_unread(const Daemon *daemon, uid_t uid);

/* The clock's facts on @cpu, or anywhere with -1; NULL until the launcher calibrated it. */
const ClockFacts *daemon_clock(const Daemon *daemon, int cpu);

/* A runner ended, or one began that others waited for: those that wait for a place may try again. */
void daemon_place_is_free(Daemon *daemon);

/* A job found no place: makes sure that it tries again. */
void daemon_wait_for_place(Daemon *daemon);
