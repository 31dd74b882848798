/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From a fork of the zygote to the runner's main(): the steps that need root, in the order in which they must stand.
 * The runner does itself all that it can do (ops/confine.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/ops.h"

typedef struct ZygoteBirth ZygoteBirth;

/* The programs that a birth executes, by the launcher's choice alone. */
typedef struct BirthPrograms {
        int runner_fd;
        int count_fd; /* of the counting library */
        int inspect_fd;
} BirthPrograms;

/*
 * The step of a birth that failed, in memory that the launcher shares with the zygote and all that this bears. A runner is executed without
 * it: no module can write here what would pass for the daemon's fault, nor take back what stands here.
 */
typedef struct BirthFault {
        int error;                /* negative errno */
        char words[OPS_TEXT_MAX]; /* the step, and its error; empty: none failed */
} BirthFault;

/* The surroundings that the zygote has for it. */
typedef struct BirthPlace {
        const char *work; /* the directory that it is to make for itself; NULL: there is none, or the cell has it */
        OpsOutcome namespaces; /* applied: it is in a cell (launch/birth/cell.h), whose view is still open */
        bool in_group;         /* it was born in its control group of v2 */
        uint32_t side;         /* of the plan, whose module it is to load */
        int turn_fd;           /* to the other side's birth */
        int keeper_fd;         /* of the paths that its plan names (launch/birth/keeper.h); -1: it names none */
        BirthFault *fault;
} BirthPlace;

/* Notes in @fault that @step failed, with errno, and ends the process. */
void birth_fail(BirthFault *fault, const char *step) __attribute__((noreturn));

/*
 * If memory runs out, it is this process that goes. With CAP_SYS_RESOURCE, which is nothing in a user namespace of one's own, the score is one
 * that neither it nor its children can lower.
 */
void birth_offer_to_oom_killer(void);

/* Opens the control group of v2 that a runner of @birth is to be in. Returns a descriptor, or -1 where there is none. */
int birth_open_group(const ZygoteBirth *birth);

/*
 * Executes the runner of @programs, or the program that inspects, born as @birth says at @place, with @fds in the order of zygote.h. Does
 * not return.
 */
void birth_become_runner(const BirthPrograms *programs, const ZygoteBirth *birth, const BirthPlace *place,
                const int *fds, size_t n_fds) __attribute__((noreturn));
