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

typedef enum ExecHook {
        EXEC_SETUP,    /* before the first run of a command */
        EXEC_PREPARE,  /* before each run */
        EXEC_CONCLUDE, /* after each run */
        EXEC_CLEANUP,  /* after the last run of a command */

        _EXEC_HOOKS_N,
} ExecHook;

/* A value that stands for {name} in a command and its hooks. */
typedef struct ExecParameter {
        const char *name;
        const char *value;
} ExecParameter;

typedef enum ExecOutput {
        EXEC_OUTPUT_NULL,    /* to /dev/null; the last words on stderr are kept */
        EXEC_OUTPUT_PIPE,    /* through a pipe that is emptied and forgotten; likewise */
        EXEC_OUTPUT_INHERIT, /* both to those of benchctl */
        EXEC_OUTPUT_FILE,    /* stdout to a file, emptied before each run */
} ExecOutput;

typedef enum ExecCold {
        EXEC_COLD_NONE,
        EXEC_COLD_FILES, /* drops the files of the command from the page cache before each run */
        EXEC_COLD_ALL,   /* drops the whole page cache */
} ExecCold;

typedef struct ExecCommand ExecCommand;

/* A command or a hook. Strings are the plan's or the command line's. */
struct ExecCommand {
        const char *title;          /* in results */
        char name[EXEC_NAME_BYTES]; /* of its benchmark: unlike all others; empty for a hook */
        const char **words;         /* to execute, ended by NULL; owned */
        char program[PATH_MAX];     /* the file that the first word names */
        bool has_shell;             /* a shell reads it, whose start is taken off its time */

        ExecCommand *hooks[_EXEC_HOOKS_N]; /* owned; NULL: none */
        const char *output_path;           /* for EXEC_OUTPUT_FILE */
        const ExecParameter *parameters;
        size_t n_parameters;
};

typedef struct ExecPlan {
        ExecCommand commands[EXEC_COMMANDS_MAX]; /* the reference first */
        size_t n;
        ExecCommand *shell;     /* an empty script of the shell; owned; NULL: no command needs one */
        const char *input_path; /* of each run's stdin; NULL: /dev/null */
        ExecOutput output;
        ExecCold cold;
        bool ignores[256]; /* by exit code: it is no failure; 0 always is none */
} ExecPlan;

/* Makes the plan of the words that were typed, or prints their fault. Returns 0 or an exit code. */
int exec_plan_new(const Settings *settings, ExecPlan **ret_plan);
ExecPlan *exec_plan_free(ExecPlan *plan);

DEFINE_CLEANUP(ExecPlan *, exec_plan_free)
