/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The trial of commands: each is run once or a few times before anything is timed and before a CPU is lent. A command that fails is told
 * here, and the number of runs and of CPUs is chosen by what the others took.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct ExecPlan ExecPlan;

typedef struct ExecTrial {
        double run_s;        /* of the longest command, its last run */
        double busy;         /* CPUs that the command with the most kept busy on average */
        bool includes_shell; /* a command is too short for its shell's start to be taken off */
        size_t n_begun;      /* commands whose --setup was executed */
} ExecTrial;

/*
 * Executes --setup of each command, and runs it as often as the plan warms up. Prints why it failed. Returns 0 or an exit
 * code; @ret_trial is set in any case.
 */
int exec_trial_run(const ExecPlan *plan, bool quiet, ExecTrial *ret_trial);

/* Executes --cleanup of the commands that were begun. Returns 0 or an exit code. */
int exec_trial_end(const ExecPlan *plan, const ExecTrial *trial);
