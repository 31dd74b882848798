/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The stage: a process of this command that waits for the bodies of the module exec, and runs the commands for them. For each body it makes
 * a process of its own, which the daemon takes in among those of the runner, so that its commands are on the runner's CPUs and in its
 * control group; when the runner ends, that process is killed. Hooks run outside of both.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "exec/exec-wire.h"

typedef struct ExecPlan ExecPlan;
typedef struct ExecPaths ExecPaths;
typedef struct ExecShared ExecShared;

#define EXEC_PATH_BYTES 108u /* as many as a socket's address has room for */

typedef struct ExecStage {
        const ExecPlan *plan; /* borrowed */
        bool includes_shell;  /* the start of the shell is not taken off: the trial found a command that is as short */
        ExecPaths *cold;      /* files to drop before each run, by command; NULL: none */
        char directory[EXEC_PATH_BYTES - sizeof "/stage"];
        char path[EXEC_PATH_BYTES]; /* of the socket, which the body sees */
        char token[EXEC_TOKEN_BYTES];
        ExecShared *shared;
        int listening_fd;
        int lives_fd; /* hangs up once all processes of the stage have ended */
        pid_t pid;    /* of the process that waits; 0: not started */
} ExecStage;

/*
 * Makes the socket, and starts the process. Its daemon's socket is @socket (NULL: the default). Returns 0, or prints the fault and returns
 * an exit code.
 */
int exec_stage_start(ExecStage *stage, const ExecPlan *plan, bool includes_shell, const char *socket);

/* Tells the stage which job its runners are of. */
void exec_stage_tell_job(ExecStage *stage, const char *run_id);

/* Ends it with all commands that run, and removes the socket. */
void exec_stage_end(ExecStage *stage);
