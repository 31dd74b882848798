/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Machine claim: one daemon at a time changes the machine, as long as it has leases. A second one would take the first one's values for
 * the machine's own, and put them back when the first is long gone.
 *
 * It is a lock on a file that only root may open, so it vanishes with the daemon however that ends. The file names its holder, and while
 * all of the holder's settings are in force, the CPUs that they keep quiet.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct RootDir RootDir;

#define MACHINE_CLAIM_PATH "run/benchd/machine.lock" /* below the machine's root */

enum {
        _MACHINE_CLAIM_E_SUCCESS,

        MACHINE_CLAIM_E_HELD, /* by another daemon */
};

typedef struct MachineClaim {
        int fd;
        uint64_t since_ns; /* CLOCK_MONOTONIC: when the present settings were published first; 0: they are not */
} MachineClaim;

#define MACHINE_CLAIM_NULL ((MachineClaim){ .fd = -1 })

/* Another daemon that has the claim. */
typedef struct MachineHolder {
        pid_t pid;         /* 0: unknown */
        uint64_t since_ns; /* tells its settings from those that it had before it put them back */
        cpu_set_t cpus;    /* that its settings keep quiet; none: they are not in force */
} MachineHolder;

/*
 * Takes the claim, unless this process has it. If the file cannot be opened, other daemons are not kept away: without the right to open
 * it, this daemon cannot change the machine either. Returns 0, or E_HELD with the holder.
 */
int machine_claim_take(MachineClaim *claim, RootDir *root, MachineHolder *ret_holder);

/* Says that all settings are in force for @cpus. Nothing without the claim. */
void machine_claim_publish(MachineClaim *claim, const cpu_set_t *cpus);

/* Call it before settings are put back. Nothing without the claim. */
void machine_claim_withdraw(MachineClaim *claim);

/* Releases the claim, if it is held. */
void machine_claim_release(MachineClaim *claim);

/* True if @holder still has the claim, and has not withdrawn its settings since it was found. */
bool machine_holder_stands(const MachineHolder *holder, RootDir *root);
