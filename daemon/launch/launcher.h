/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The launcher's state, and the operations that benchd requests (ops/ops.h): tickets, leases, runners. */

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "launch/base/identity.h"
#include "launch/birth/zygote.h"
#include "ops/call-filter.h"
#include "util/cleanup.h"

typedef struct Equipment Equipment;
typedef struct Leases Leases;
typedef struct Launcher Launcher;

/*
 * Called when the front-end is gone, or broke the rules and was cut off. Its runners are dead and its tickets closed.
 */
typedef void (*LauncherDetached)(Launcher *launcher, void *userdata);

/* Called when the front-end answers clients. */
typedef void (*LauncherReady)(Launcher *launcher, void *userdata);

typedef struct LauncherConfig {
        sd_event *event;
        const Identities *identities;
        Zygote *zygote;
        Leases *leases;
        const Equipment *equipment;
        bool require_cpuset;        /* for SCHED_FIFO */
        size_t ticket_files;        /* open files available to tickets */
        const char *listening_path; /* where clients connect */
        const char *key_path;       /* of vouchers */
        bool distrust_tsc;          /* even if the kernel trusts it */
        bool without_probes;        /* even if calibration finds some */
        CallFilterMode calls;       /* what happens on system calls that its receivers do not need */
        pid_t front_pid;            /* a child that is not a stray, or -1 */
        LauncherReady ready;
        LauncherDetached detached;
        void *userdata;
} LauncherConfig;

/*
 * Reads the machine and begins to calibrate. Everything that @config points to must outlive the launcher. Returns 0 or
 * a negative errno.
 */
int launcher_new(const LauncherConfig *config, Launcher **ret_launcher);

/* Kills every runner and the processes that they left behind. */
Launcher *launcher_free(Launcher *launcher);
DEFINE_CLEANUP(Launcher *, launcher_free)

/* Takes @front_fd, a front-end's connection, and serves it until it ends. Returns 0 or a negative errno. */
int launcher_attach(Launcher *launcher, int front_fd);
bool launcher_is_attached(const Launcher *launcher);
