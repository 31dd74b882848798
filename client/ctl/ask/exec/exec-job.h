/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A run of whole commands: their trial, the stage on which they are executed, and the job of the daemon that times them. Each is a benchmark
 * of the module exec, whose body asks for it (exec/exec.c); several are compared with the first, in turns.
 */

typedef struct Connection Connection;
typedef struct ExecPlan ExecPlan;
typedef struct Output Output;
typedef struct Settings Settings;
typedef struct json_t json_t;

/* Runs the commands of @plan, and prints the result, or with @ret_result (NULL: none) returns it there. Returns an exit code. */
int exec_job_run(const Settings *settings, Connection *connection, Output *output, const ExecPlan *plan,
                json_t **ret_result);
