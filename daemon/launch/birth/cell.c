/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/cell.h"

#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "util/error.h"
#include "util/fd.h"

int cell_hold(pid_t pid, Cell *ret_cell) {
        Cell cell = { .pid = pid, .pidfd = -1 };

        if (pid > 0)
                cell.pidfd = pidfd_open(pid, 0);
        if (pid > 0 && cell.pidfd < 0)
                return error_origin(-errno);
        *ret_cell = cell;
        return 0;
}

void cell_kill(const Cell *cell) {
        if (cell->pid > 0)
                (void)pidfd_send_signal(cell->pidfd, SIGKILL, NULL, 0);
}

bool cell_reap(Cell *cell) {
        siginfo_t status = {};

        if (cell->pid > 0 && waitid(P_PIDFD, cell->pidfd, &status, WEXITED | WNOHANG) == 0 && status.si_pid > 0)
                cell->pid = 0;
        return cell->pid == 0;
}

void cell_let_go(Cell *cell) {
        cell_kill(cell);
        fd_close(cell->pidfd);
        *cell = CELL_NULL;
}
