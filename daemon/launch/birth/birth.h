/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From a fork of the zygote to the runner's main(): the steps that need root, in the order in which they must stand.
 * The runner does the rest itself (ops/confine.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/ops.h"

typedef struct ZygoteBirth ZygoteBirth;

/* The programs that a birth executes. Only the launcher chooses them. */
typedef struct BirthPrograms {
        int runner_fd;
        int count_fd; /* of the counting library */
        int inspect_fd;
} BirthPrograms;

/*
 * The step of a birth that failed, in memory that the launcher shares with the zygote and its children. It is not mapped after exec: no
 * module can fake a fault of the daemon here, nor erase one.
 */
typedef struct BirthFault {
        int error;                /* negative errno */
        char words[OPS_TEXT_MAX]; /* the step and its error; empty: no step failed */
} BirthFault;

/* The surroundings that the zygote prepares for a runner. */
typedef struct BirthPlace {
        const char *work;      /* the directory that it makes for itself; NULL: none, or in the cell */
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
 * Makes this process the first to be killed when memory runs out. With CAP_SYS_RESOURCE in the initial user namespace, neither it nor its
 * children can lower the score.
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
