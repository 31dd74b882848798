/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Prepares the machine for measuring with the first lease of CPUs, and puts it back a while after the last, so that the
 * processes of one run, each with its own lease, do not switch it to and fro. A CPU that was leased stays quiet until
 * nothing is leased: that costs little, and a governor that comes and goes would disturb runs beside it. If systemd
 * does not give a unit its CPUs back at the end, that is tried again, ever more seldom.
 *
 * One daemon at a time does so (machine-claim.h). The leases of another change nothing: they read the first one's settings at their begin and
 * end, and report them where they are the wanted ones throughout, otherwise that the machine was in other hands.
 *
 * Leases override the choice of `set-governor`, to which the machine returns after them.
 *
 * machine/applied-plan.h changes files, launch/lease/kernel-threads.h the kernel's threads, launch/lease/shield.h other
 * units; one restore journal has all changes.
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
        RestoreJournal *journal;   /* open, and restored from; NULL: the machine is read and not changed */
        RootDir *disk;             /* where the journal is */
        const char *chosen_path;   /* below it; stores the choices */
        GovernorChoices chosen;    /* the choices so far */
        const RestoreHands *hands; /* of @journal; a kind without one is not changed */
        bool shield;               /* whether other units are kept off, if there is a hand for them */
        cpu_set_t others;          /* where work goes that leaves leased CPUs: at least one */
} MachineLeaseConfig;

/* Everything that @config points to must outlive the lease. Returns 0 or a negative errno. */
int machine_lease_new(const MachineLeaseConfig *config, MachineLease **ret_lease);

/* Puts everything back first. */
MachineLease *machine_lease_free(MachineLease *lease);

/* Prepares the machine for a lease of @cpus and their siblings. Failures are in the report. */
void machine_lease_begin(MachineLease *lease, const cpu_set_t *cpus);

/* The lease is over. */
void machine_lease_end(MachineLease *lease);

/*
 * Call it when CPUs have come or gone: applies the plan again, so that values that waited for these CPUs are put back.
 * From now on work that leaves leased CPUs goes to @others.
 */
void machine_lease_renew(MachineLease *lease, const cpu_set_t *others);

/*
 * Stores @chosen as the choices, then changes the machine; @tell, unless NULL, is called for each value that is put
 * back. There must be a journal. Returns 0 or a negative errno.
 */
int machine_lease_choose(MachineLease *lease, const GovernorChoices *chosen, RestoreTell tell, void *context);

/* The lease owns the results. Without a journal there is no plan. */
const GovernorChoices *machine_lease_governors(const MachineLease *lease);
AppliedPlan *machine_lease_applied_plan(const MachineLease *lease);
RootDir *machine_lease_root(const MachineLease *lease);

/* Reads what is in force now, and writes it into @ended: the controls, and the isolation of a lease of @cpus. */
void machine_lease_describe(MachineLease *lease, const cpu_set_t *cpus, bool isolated, OpsEnded *ended);
