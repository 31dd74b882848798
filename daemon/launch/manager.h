/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's state, and what it does on benchd's word (ops/ops.h): tickets, leases, runners.
 */

#include <systemd/sd-event.h>

#include "launch/front.h"
#include "launch/identity.h"
#include "launch/zygote.h"

typedef struct Leases Leases;
typedef struct Manager Manager;
typedef struct RootDir RootDir;

typedef struct ManagerConfig {
        sd_event *event;
        const Identities *identities;
        Zygote *zygote;
        Front *front;
        Leases *leases;
        RootDir *root;
        const char *listening_path;
} ManagerConfig;

/* Watches the front-end and begins to calibrate. What @config points to outlives it. Returns 0 or a negative errno. */
int manager_new(const ManagerConfig *config, Manager **ret_manager);

/* Kills every runner and what they left behind. */
Manager *manager_free(Manager *manager);
