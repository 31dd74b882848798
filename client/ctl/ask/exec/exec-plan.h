/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commands of 'benchctl exec' and how each of them is run: shared by the verb, the trial and the stage.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/exec/exec-effort.h"
#include "ctl/ask/exec/exec-parameters.h"
#include "ctl/model/exec-settings.h"
#include "exec/exec-wire.h"
#include "util/cleanup.h"

typedef struct Settings Settings;

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

/* A command or a hook. Strings are the plan's. */
struct ExecCommand {
        const char *title;          /* in results */
        char name[EXEC_NAME_BYTES]; /* of its benchmark: unlike all others; empty for a hook */
        const char **words;         /* to execute, ended by NULL; the list is owned */
        char program[PATH_MAX];     /* the file that the first word names */
        bool has_shell;             /* a shell reads it, whose start is taken off its time */

        ExecCommand *hooks[_EXEC_HOOKS_N]; /* owned; NULL: none */
        ExecOutput output;
        const char *output_path;   /* for EXEC_OUTPUT_FILE */
        ExecParameter *parameters; /* owned */
        size_t n_parameters;
};

typedef struct ExecPlan {
        ExecCommand commands[EXEC_COMMANDS_MAX]; /* the reference first */
        size_t n;
        bool has_reference;     /* the first was given by --reference, and has no parameters in a result */
        ExecCommand *shell;     /* an empty script of the shell; owned; NULL: no command needs one */
        const char *input_path; /* of each run's stdin; NULL: /dev/null */
        ExecCold cold;
        bool ignores[256]; /* by exit code: it is no failure; 0 always is none */
        unsigned warmup;   /* runs of each command that are not timed, the trial among them */
        double timeout_s;  /* of each of them; 0: none */
        ExecEffortAsked asked;
        uint64_t seed; /* of the daemon's random choices, and of what is drawn anew for each run */

        const char **shell_words; /* before a script; NULL: no shell; the list is owned */
        size_t n_shell_words;
        ExecScales scales;
        char **texts; /* owned strings */
        size_t n_texts;
} ExecPlan;

/* Makes the plan of the words that were typed, or prints their fault. Returns 0 or an exit code. */
int exec_plan_new(const Settings *settings, ExecPlan **ret_plan);
ExecPlan *exec_plan_free(ExecPlan *plan);

/* True if the output of a command goes there. */
bool exec_plan_puts_out(const ExecPlan *plan, ExecOutput output);

/* Copies @title to @text of @n bytes. A longer one is cut between characters, and ends in an ellipsis. */
void exec_title_cut(const char *title, char *text, size_t n);

DEFINE_CLEANUP(ExecPlan *, exec_plan_free)
