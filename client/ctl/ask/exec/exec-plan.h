/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commands of 'benchctl exec' and how each of them is run: shared by the verb, the trial and the stage.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "exec/exec-wire.h"
#include "util/cleanup.h"

typedef struct Settings Settings;

/* Strings are the command line's. */
typedef struct ExecCommand {
        const char *title;          /* in results */
        char name[EXEC_NAME_BYTES]; /* of its benchmark: unlike all others */
        const char **words;         /* to execute, ended by NULL; owned */
        char program[PATH_MAX];     /* the file that the first word names */
} ExecCommand;

typedef struct ExecPlan {
        ExecCommand commands[EXEC_COMMANDS_MAX]; /* the reference first */
        size_t n;
        bool ignores_failure;
        bool shows_output;
} ExecPlan;

/* Makes the plan of the words that were typed, or prints their fault. Returns 0 or an exit code. */
int exec_plan_new(const Settings *settings, ExecPlan **ret_plan);
ExecPlan *exec_plan_free(ExecPlan *plan);

DEFINE_CLEANUP(ExecPlan *, exec_plan_free)
