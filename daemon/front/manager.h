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

#include "front/config.h"
#include "front/environment.h"
#include "front/policy.h"
#include "front/queue.h"
#include "front/who.h"
#include "ops/ops.h"
#include "util/cleanup.h"

typedef struct History History;
typedef struct Job Job;
typedef struct Keeper Keeper;
typedef struct LaunchLink LaunchLink;
typedef struct Listener Listener;
typedef struct RootDir RootDir;
typedef struct Session Session;
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

typedef struct Manager {
        sd_event *event;
        sd_event_source *sweep;
        sd_event_source *retry; /* for runners that found no place, where nothing else tells that one is free */
        LaunchLink *link;
        Listener *listener;
        RootDir *root;
        Config config;
        Who may_set_governor;
        History *history;
        Keeper *keeper; /* NULL: modules are not kept */
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
} Manager;

/* What a manager is made of. */
typedef struct ManagerConfig {
        int clients_fd;         /* where clients connect; taken */
        int launch_fd;          /* to benchd-launch; taken */
        const char *state_path; /* the directory of history and modules; NULL: nothing outlives the daemon */
        const Config *config;   /* copied */
} ManagerConfig;

/* Serves clients on one socket and asks benchd-launch on the other. Returns 0 or a negative errno. */
int manager_new(const ManagerConfig *config, Manager **ret_manager);
Manager *manager_free(Manager *manager);

DEFINE_CLEANUP(Manager *, manager_free)

/* Runs until a signal ends it. Returns the exit status of the program, or a negative errno. */
int manager_run(Manager *manager);

/* The job @run_id, if it was accepted and is not over. */
Job *manager_find_job(const Manager *manager, const char *run_id);

/* What is in use, in all and by @uid. */
PolicyUse manager_count_sessions(const Manager *manager, uid_t uid);
PolicyUse manager_count_jobs(const Manager *manager, uid_t uid);

/* The bytes of replies that clients of @uid have not read. */
size_t manager_count_unread(const Manager *manager, uid_t uid);

/* The clock's facts on @cpu, or anywhere with -1; NULL until the launcher calibrated it. */
const ClockFacts *manager_clock(const Manager *manager, int cpu);

/* A runner ended, or one began that others waited for: those that wait for a place may try again. */
void manager_place_is_free(Manager *manager);

/* A job found no place: makes sure that it tries again. */
void manager_wait_for_place(Manager *manager);
