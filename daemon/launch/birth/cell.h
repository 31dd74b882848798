/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The cell of a runner: its own namespaces for users, processes, IPC, mounts and the network, with a first process that belongs to
 * the launcher. When that one dies, the kernel kills every process in the cell, however many there are, whatever signals they ignore
 * and even if they are traced; shared memory and sockets go with them. A process in the cell finds no process, socket or network
 * outside.
 *
 * The first process is not the runner, since a runner that its own child traces can be stopped on its way out for ever. It stays the
 * launcher's user, so under root the runner is a different user; it has no capability, and no process may trace it. A seccomp filter
 * would be measured with every system call; namespaces are not.
 */

#include <stdbool.h>
#include <sys/types.h>

/* The first process, a child of the launcher like the runner. */
typedef struct Cell {
        pid_t pid; /* 0: none, or reaped */
        int pidfd;
} Cell;

#define CELL_NULL ((Cell){ .pidfd = -1 })

/*
 * Takes the first process @pid, or 0 for none, into @ret_cell. Returns 0, or a negative errno, and then @pid stays the
 * caller's.
 */
int cell_hold(pid_t pid, Cell *ret_cell);

/* Kills it, and with it all that lives in the cell. */
void cell_kill(const Cell *cell);

/* Reaps it. False while it lives: it ends when the others of the cell are dead, and the runner is reaped. */
bool cell_reap(Cell *cell);

/* Kills it if it is not reaped, and forgets it; the sweep of strays reaps it. */
void cell_let_go(Cell *cell);
