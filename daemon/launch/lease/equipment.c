/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/equipment.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "launch/base/options.h"
#include "launch/birth/run-group.h"
#include "launch/birth/zygote.h"
#include "launch/lease/lease.h"
#include "launch/lease/machine-lease.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

#define JOURNAL_PATH "/run/benchd/restore.journal"

static int open_roots(const Options *options, Equipment *equipment) {
        int r;

        r = root_dir_new("/", &equipment->root);
        if (!r)
                r = root_dir_new(options->root ? options->root : "/", &equipment->machine);
        return error_trace(r);
}

/* A daemon without a service has its journal beside its socket, where its user finds it. */
static int journal_path(const Options *options, char **ret_path) {
        char *path = NULL;
        int n;

        if (options->journal)
                n = asprintf(&path, "%s", options->journal);
        else if (options->with_front_end)
                n = asprintf(&path, "%s.restore", options->socket);
        else
                n = asprintf(&path, "%s", JOURNAL_PATH);
        if (n < 0)
                return error_origin(-ENOMEM);
        *ret_path = path;
        return 0;
}

static int open_restorer(const Options *options, Equipment *equipment) {
        _cleanup_(freep) char *path = NULL;
        int r;

        r = journal_path(options, &path);
        if (r)
                return error_trace(r);
        r = restorer_open(path, equipment->machine, !options->root, &equipment->restorer);
        if (r == RESTORER_E_HELD)
                fprintf(stderr, "benchd-launch: %s is in use by a running daemon, which restores from it itself\n",
                                path);
        return error_trace(r);
}

int equipment_open(const Options *options, Equipment *ret_equipment) {
        Equipment equipment = { .options = options };
        int r;

        r = open_roots(options, &equipment);
        /* First, however long the rest takes: systemd cannot restart the service before this is done. */
        if (!r && options->restore && !options->root)
                run_groups_unite(equipment.root);
        if (!r)
                r = open_restorer(options, &equipment);
        if (!r && !options->restore)
                r = run_groups_new(equipment.root, options->root ? NULL : equipment.restorer.journal,
                                &equipment.groups);
        if (r) {
                equipment_close(&equipment);
                return error_trace(r);
        }
        *ret_equipment = equipment;
        return 0;
}

int equipment_complete(Equipment *equipment, sd_event *event, const Leases *leases, const Zygote *zygote) {
        const pid_t own[] = { getpid(), zygote->pid };
        const bool service = !equipment->options->with_front_end;
        MachineLeaseConfig config = {
                .event = event,
                .root = equipment->machine,
                .journal = equipment->restorer.journal,
                .disk = equipment->restorer.disk,
                .chosen_path = equipment->restorer.chosen_path,
                .chosen = equipment->restorer.chosen,
                .hands = &equipment->restorer.hands,
                .shield = service,
        };

        CPU_AND(&config.others, &leases->pool.housekeeping, &leases->allowed);
        if (service)
                run_groups_divide(equipment->groups, own, N_ELEMENTS(own));
        return error_trace(machine_lease_new(&config, &equipment->machine_lease));
}

void equipment_rest(Equipment *equipment) {
        equipment->machine_lease = machine_lease_free(equipment->machine_lease);
}

void equipment_close(Equipment *equipment) {
        equipment_rest(equipment);
        run_groups_free(equipment->groups);
        restorer_close(&equipment->restorer, equipment->options->with_front_end || equipment->options->restore);
        root_dir_free(equipment->machine);
        root_dir_free(equipment->root);
        *equipment = (Equipment){};
}
