/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One run of a command: started, waited for, timed and counted by the calling process, which must have one thread. The time begins in the
 * child right before its exec, and ends when the caller, on the same CPU where it is pinned, is woken up by its end: after its memory is given back.
 * The kernel's raw monotonic clock times it, which is the time-stamp counter where that is sound.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "ctl/ask/exec/exec-left.h"
#include "exec/exec-wire.h"

typedef struct ExecCommand ExecCommand;

/* The descriptors of the command. */
typedef struct ExecFiles {
        int in;
        int out;
        int err;
} ExecFiles;

typedef enum ExecEnding {
        EXEC_ENDED,     /* with exit code 0 */
        EXEC_EXITED,    /* with another */
        EXEC_SIGNALLED, /* a signal killed it */
        EXEC_STOPPED,   /* it stopped itself, and was killed */
        EXEC_MISSING,   /* it could not be executed */
} ExecEnding;

typedef struct ExecOutcome {
        double wall_ns;
        double counts[_EXEC_COUNTS_N];
        ExecEnding ending;
        int code;      /* exit code, signal or errno */
        ExecLeft left; /* processes that outlived it, and were killed */
} ExecOutcome;

/* Makes the caller the one to whom the orphans of a command come. */
void exec_command_prepare(void);

/*
 * From now on the caller, a child of @parent, ends when that ends, after the command that it runs and all that this left behind; and it notes
 * SIGINT instead of dying of it.
 */
void exec_command_live_with(pid_t parent);

/* True if SIGINT came, which is Ctrl-C: a command that ended then ended because of that. */
bool exec_command_interrupted(void);

/* Makes the signals of the caller, which is about to execute a program, as they are in a new one. */
void exec_reset_signals(void);

/* Runs @command in the caller's world, with @environment. Returns 0 or a negative errno. */
int exec_command_run(const ExecCommand *command, const ExecFiles *files, char *const *environment,
                ExecOutcome *ret_outcome);

/* Its failure in words: "exit code 2"; empty for EXEC_ENDED. */
const char *exec_command_words(const ExecOutcome *outcome, char words[static EXEC_WORDS_BYTES]);
