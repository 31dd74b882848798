/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The daemon: one event loop that connects the launcher link, the clients and the jobs. It sweeps clients and jobs after each turn.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/config.h"
#include "front/base/turns.h"
#include "front/file-limit.h"
#include "front/jobs/job.h"
#include "front/report/environment.h"
#include "ops/call-filter.h"
#include "ops/ops.h"
#include "util/cleanup.h"

typedef struct Clients Clients;
typedef struct ReceiverCloser ReceiverCloser;
typedef struct sd_event_source sd_event_source;

/* EX_CONFIG of sysexits.h: systemd does not try again (RestartPreventExitStatus=). */
#define EXIT_CONFIG 78

typedef struct Daemon {
        JobServices services;
        Clients *clients;
        Config config;
        FileLimitNamed named; /* limits set by the configuration */
        EnvironmentHost host;
        OpsMachine machine; /* zero until the launcher has sent it */
        sd_event_source *sweep;
        sd_event_source *synced; /* of the history: more is on stable storage */
        sd_event_source *trim;   /* of the history */
        sd_event_source *hour;   /* every hour: checks the clock, then trims */
        bool clock_synchronised; /* as the launcher said; true only while old jobs are removed */
        uint64_t trimmed_done;   /* jobs done at the last trim */
        pid_t ender;             /* the only process whose signals end it; 0: anybody's do */
        int failure;             /* exit status of a daemon that cannot go on; 0: none */
        Turns turns;
        ReceiverCloser *closer;
        unsigned told_jobs; /* in the last status text for systemd */
        unsigned told_running;
} Daemon;

/* The configuration of a daemon. */
typedef struct DaemonConfig {
        int clients_fd;         /* the listening socket for clients; taken */
        int launch_fd;          /* to benchd-launch; taken */
        const char *state_path; /* the directory of history and modules; NULL: nothing outlives the daemon */
        const Config *config;   /* copied */
        FileLimitNamed named;   /* limits set by the configuration */
        pid_t ender;            /* the only process whose signals end it; 0: anybody's do */
        CallFilterMode calls;   /* what happens to receivers that make a system call they do not need */
} DaemonConfig;

/* Serves clients on one socket and asks benchd-launch on the other. Returns 0 or a negative errno. */
int daemon_new(const DaemonConfig *config, Daemon **ret_daemon);
Daemon *daemon_free(Daemon *daemon);

DEFINE_CLEANUP(Daemon *, daemon_free)

/*
 * Runs until a signal ends it; ready once the launcher has sent the machine's state. Returns the program's exit status, or a negative
 * errno.
 */
int daemon_run(Daemon *daemon);
