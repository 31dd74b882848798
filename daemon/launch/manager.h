/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's state, and what it does on benchd's word (ops/ops.h): tickets, leases, runners.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "launch/identity.h"
#include "launch/zygote.h"

typedef struct Equipment Equipment;
typedef struct Leases Leases;
typedef struct Manager Manager;

/* Told when the front-end is gone, or broke the rules and was cut off. Its runners are dead and its tickets closed. */
typedef void (*ManagerDetached)(Manager *manager, void *userdata);

/* Told when the front-end answers clients. */
typedef void (*ManagerReady)(Manager *manager, void *userdata);

typedef struct ManagerConfig {
        sd_event *event;
        const Identities *identities;
        Zygote *zygote;
        Leases *leases;
        const Equipment *equipment;
        bool require_cpuset;        /* for SCHED_FIFO */
        const char *listening_path; /* where clients connect */
        bool distrust_tsc;          /* whatever the machine says of it */
        bool without_probes;        /* whatever calibration finds */
        pid_t front_pid;            /* a child that is no leftover, or -1 */
        ManagerReady ready;
        ManagerDetached detached;
        void *userdata;
} ManagerConfig;

/* Reads the machine and begins to calibrate. What @config points to outlives it. Returns 0 or a negative errno. */
int manager_new(const ManagerConfig *config, Manager **ret_manager);

/* Kills every runner and what they left behind. */
Manager *manager_free(Manager *manager);

/* Takes @front_fd, a front-end's connection, and serves it until it ends. Returns 0 or a negative errno. */
int manager_attach(Manager *manager, int front_fd);
bool manager_is_attached(const Manager *manager);
