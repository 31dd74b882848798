/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's state, and the operations that benchd asks for (ops/ops.h): tickets, leases, runners.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "launch/base/identity.h"
#include "launch/birth/zygote.h"
#include "ops/call-filter.h"
#include "util/cleanup.h"

typedef struct Equipment Equipment;
typedef struct Leases Leases;
typedef struct Launcher Launcher;

/* Told when the front-end is gone, or broke the rules and was cut off. Its runners are dead and its tickets closed. */
typedef void (*LauncherDetached)(Launcher *launcher, void *userdata);

/* Told when the front-end answers clients. */
typedef void (*LauncherReady)(Launcher *launcher, void *userdata);

typedef struct LauncherConfig {
        sd_event *event;
        const Identities *identities;
        Zygote *zygote;
        Leases *leases;
        const Equipment *equipment;
        bool require_cpuset;        /* for SCHED_FIFO */
        size_t ticket_files;        /* the open files that are left to tickets */
        const char *listening_path; /* where clients connect */
        const char *key_path;       /* of vouchers */
        bool distrust_tsc;          /* whatever the machine says of it */
        bool without_probes;        /* whatever calibration finds */
        CallFilterMode calls;       /* the fate of system calls that its receivers do not need */
        pid_t front_pid;            /* a child that is no leftover, or -1 */
        LauncherReady ready;
        LauncherDetached detached;
        void *userdata;
} LauncherConfig;

/*
 * Reads the machine and begins to calibrate. All that @config points to outlives the launcher. Returns 0 or a negative
 * errno.
 */
int launcher_new(const LauncherConfig *config, Launcher **ret_launcher);

/* Kills every runner and what they left behind. */
Launcher *launcher_free(Launcher *launcher);
DEFINE_CLEANUP(Launcher *, launcher_free)

/* Takes @front_fd, a front-end's connection, and serves it until it ends. Returns 0 or a negative errno. */
int launcher_attach(Launcher *launcher, int front_fd);
bool launcher_is_attached(const Launcher *launcher);
