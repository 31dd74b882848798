/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Makes the machine ready for a measurement with the first lease of CPUs, and gives it back a while after the last, so
 * that the processes of one run, each with a lease of its own, do not switch it to and fro. In between, a CPU that was
 * leased stays quiet until nothing is leased: that costs nobody much, and a governor that comes and goes would be
 * measured by whoever runs beside. A unit that systemd does not widen again at the end is tried again, ever more
 * seldom.
 *
 * One daemon at a time does so: the leases of another leave the machine as it is, and say so.
 *
 * The leases come before what `set-governor` chose, which is what the machine goes back to after them.
 *
 * Files are switched by machine/applied-plan.h, the kernel's threads by launch/lease/kernel-threads.h, other units by
 * launch/lease/shield.h; all of it is in the one restore journal.
 */

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "machine/governor.h"
#include "machine/restore.h"
#include "ops/ops.h"

typedef struct MachineLease MachineLease;
typedef struct AppliedPlan AppliedPlan;

#define MACHINE_LEASE_LINGER_US 2000000u

typedef struct MachineLeaseConfig {
        sd_event *event;
        RootDir *root;             /* of the machine */
        RestoreJournal *journal;   /* open, and restored from; NULL: the machine is looked at, and not changed */
        RootDir *disk;             /* where the journal is */
        const char *chosen_path;   /* below it; what was chosen is kept there */
        GovernorChoices chosen;    /* what is chosen so far */
        const RestoreHands *hands; /* of @journal; what has none is not changed */
        bool shield;               /* whether other units are kept off, where there is a hand for them */
        cpu_set_t others;          /* where everything goes that leaves leased CPUs: one at least */
} MachineLeaseConfig;

/* All that @config points to outlives the lease. Returns 0 or a negative errno. */
int machine_lease_new(const MachineLeaseConfig *config, MachineLease **ret_lease);

/* Puts everything back first. */
MachineLease *machine_lease_free(MachineLease *lease);

/* Makes the machine ready for a lease of @cpus, with their siblings. Failures are in the report. */
void machine_lease_begin(MachineLease *lease, const cpu_set_t *cpus);

/* The lease is over. */
void machine_lease_end(MachineLease *lease);

/*
 * CPUs have come or gone: makes the machine anew what it should be, so that what waited for them is put back. From now
 * on everything that leaves leased CPUs goes to @others.
 */
void machine_lease_renew(MachineLease *lease, const cpu_set_t *others);

/*
 * Keeps @chosen as what is chosen, then moves the machine; @tell, unless it is NULL, hears of what is put back. There
 * is a journal. Returns 0 or a negative errno.
 */
int machine_lease_choose(MachineLease *lease, const GovernorChoices *chosen, RestoreTell tell, void *context);

/* They stay the lease's. Without a journal there is no plan. */
const GovernorChoices *machine_lease_governors(const MachineLease *lease);
AppliedPlan *machine_lease_applied_plan(const MachineLease *lease);
RootDir *machine_lease_root(const MachineLease *lease);

/* Looks what is in force now, and writes it into @ended: the controls, and the isolation of a lease of @cpus. */
void machine_lease_describe(MachineLease *lease, const cpu_set_t *cpus, bool isolated, OpsEnded *ended);

/*
 * Machine claim: one daemon at a time switches the machine, as long as it has leases. A second one that did so too would take the first
 * one's values for the machine's own, and put those back when the first is long gone.
 *
 * It is a lock on a file that only root may open, so it goes with the daemon however that ends. The file says whose it is.
 */

#define MACHINE_CLAIM_PATH "run/benchd/machine.lock" /* below the machine's root */

enum {
        _MACHINE_CLAIM_E_SUCCESS,

        MACHINE_CLAIM_E_HELD, /* by another daemon */
};

typedef struct MachineClaim {
        int fd;
        pid_t holder; /* the other daemon that had it when it was last asked for; 0: none, or it does not say */
} MachineClaim;

#define MACHINE_CLAIM_NULL ((MachineClaim){ .fd = -1 })
