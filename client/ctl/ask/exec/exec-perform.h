/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A process that runs commands for one body of the module exec: it has the daemon take it in among the runner's processes, so that its
 * commands are on the runner's CPUs and in its control group. It answers the body's questions until that hangs up.
 */

typedef struct ExecStage ExecStage;

typedef struct ExecPerformance {
        const ExecStage *stage;
        int fd;        /* to the body */
        int hooks_fd;  /* to the process that waits, which runs hooks: ExecHookAsk */
        int output_fd; /* exec-output.h: stderr of the commands */
        int pipe_fd;   /* stdout of the commands with EXEC_OUTPUT_PIPE, which the process that waits empties; else -1 */
} ExecPerformance;

/* Answers until the body ends. */
void exec_perform(const ExecPerformance *performance);
