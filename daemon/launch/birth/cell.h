/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The cell of a runner: namespaces of its own for users, processes, IPC, mounts and the network, with a first process of ours. When
 * that one dies, the kernel kills every process in the cell, however many there are, whatever they ignore and whoever traces them;
 * shared memory and sockets go with it. Nothing in the cell finds a process, a socket or a network outside.
 *
 * The first process is not the runner, since a runner that its own child traces can be stopped on its way out for ever. It stays the
 * launcher's user, so that where that is root the runner is somebody else; it has no capability, and nobody may trace it. A seccomp
 * filter would be measured with every system call; namespaces are not.
 */

#include <stdbool.h>
#include <sys/types.h>

/* The first process, which is the launcher's child like the runner. */
typedef struct Cell {
        pid_t pid; /* 0: there is none, or it is reaped */
        int pidfd;
} Cell;

#define CELL_NULL ((Cell){ .pidfd = -1 })

/* Takes the first process @pid, or 0, into @ret_cell. Returns 0 or a negative errno, and then it is not taken. */
int cell_hold(pid_t pid, Cell *ret_cell);

/* Kills it, and with it all that lives in the cell. */
void cell_kill(const Cell *cell);

/* Reaps it. False while it lives: it ends when the others of the cell are dead, and the runner is reaped. */
bool cell_reap(Cell *cell);

/* Kills it if it is not reaped, and forgets it; whoever sweeps up strays reaps it. */
void cell_let_go(Cell *cell);
