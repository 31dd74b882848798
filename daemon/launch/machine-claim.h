/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Machine claim: one daemon at a time switches the machine, as long as it has leases. A second one that did so too would take the first
 * one's values for the machine's own, and put those back when the first is long gone.
 *
 * It is a lock on a file that only root may open, so it goes with the daemon however that ends. The file says whose it is.
 */

#include <sys/types.h>

typedef struct RootDir RootDir;

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

/*
 * Takes the claim for this process, unless it has it. If the file cannot be had, nobody is kept away: the machine cannot be switched then
 * either, for lack of rights. Returns 0 or E_HELD.
 */
int machine_claim_take(MachineClaim *claim, RootDir *root);

/* Gives it up, if it is there. */
void machine_claim_release(MachineClaim *claim);
