/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The birth of a cell (launch/birth/cell.h) from the zygote, which needs only the right to become other users.
 *
 * A sibling of the zygote, the scaffold, enters the new namespaces and forks the first process and the runners there, because a
 * process cannot move itself into another pid namespace. All are the launcher's children. The zygote, which owns the user
 * namespace, maps the users from outside, each to itself, so that files show their true owners: all but root, whose files show as
 * nobody's. A launcher without privileges may map only its own user.
 */

#include <stdint.h>
#include <sys/types.h>

#include "ops/runner-plan.h"

typedef struct BirthFault BirthFault;

typedef struct CellPids {
        pid_t scaffold;                  /* dead, or about to be */
        pid_t first;                     /* 0: it was not born */
        pid_t runners[RUNNER_SIDES_MAX]; /* 0: it was not born, or the caller is this runner */
} CellPids;

/*
 * The runners that are to be born together, one per side of the plan; each gets ready in its turn
 * (launch/birth/birth.h).
 */
typedef struct CellSides {
        uint32_t n;
        uint32_t own;                /* in a runner: its own side */
        int turns[RUNNER_SIDES_MAX]; /* each runner's end of the socket for taking turns */
} CellSides;

enum {
        _CELL_BIRTH_E_SUCCESS,

        CELL_BIRTH_E_RUNNER, /* the caller is the runner, in the cell */
};

/*
 * Forks the runners of @sides as siblings, in the group of *@group_fd as above, into @pids. Returns 0 in the caller, E_RUNNER in a runner, or
 * a negative errno in the caller.
 */
int cell_fork_runners(CellSides *sides, int *group_fd, pid_t pids[static RUNNER_SIDES_MAX]);

/*
 * Bears a cell whose first process ends once the other end of the socket @lifeline_fd is closed, with the runners of @sides in the group of *@group_fd as
 * above. A first process that cannot give up its rights says so in @fault and ends, and the cell with it. Returns 0 in the zygote, E_RUNNER in
 * a runner, or a negative errno in the zygote. The caller's parent has to reap all of @ret_pids, on an error too, the first process last.
 */
int cell_bear(int lifeline_fd, int *group_fd, CellSides *sides, BirthFault *fault, CellPids *ret_pids);

/*
 * Returns why there are no namespaces, as an OpsOutcome, after cell_bear() returned @error; 0 if the error is
 * temporary.
 */
uint32_t cell_refusal(int error);
