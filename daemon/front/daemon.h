/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The daemon: one loop, with the link to the launcher, the clients and the jobs wired together. After each turn of the loop
 * clients and jobs are swept.
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
        FileLimitNamed named; /* by the configuration */
        EnvironmentHost host;
        OpsMachine machine; /* once the launcher told of it */
        sd_event_source *sweep;
        sd_event_source *synced; /* more of the history is on stable storage */
        sd_event_source *trim;   /* of the history */
        sd_event_source *hour;   /* looks at the clock, then trims */
        bool clock_synchronised; /* the launcher said so, and jobs are being looked at for their age */
        uint64_t trimmed_done;   /* jobs done when it was last looked at */
        pid_t ender;             /* the only process whose signals end it; 0: anybody's do */
        int failure;             /* the exit status of one that cannot go on; 0: it can */
        Turns turns;
        ReceiverCloser *closer;
        unsigned told_jobs; /* in the last status text */
        unsigned told_running;
} Daemon;

/* The parts that a daemon is given. */
typedef struct DaemonConfig {
        int clients_fd;         /* where clients connect; taken */
        int launch_fd;          /* to benchd-launch; taken */
        const char *state_path; /* the directory of history and modules; NULL: nothing outlives the daemon */
        const Config *config;   /* copied */
        FileLimitNamed named;   /* limits that the configuration names */
        pid_t ender;            /* the only process whose signals end it; 0: anybody's do */
        CallFilterMode calls;   /* the fate of system calls that its receivers do not need */
} DaemonConfig;

/* Serves clients on one socket and asks benchd-launch on the other. Returns 0 or a negative errno. */
int daemon_new(const DaemonConfig *config, Daemon **ret_daemon);
Daemon *daemon_free(Daemon *daemon);

DEFINE_CLEANUP(Daemon *, daemon_free)

/* Runs until a signal ends it, and is ready once the launcher has told of the machine. Returns the exit status of the program, or a negative errno. */
int daemon_run(Daemon *daemon);
