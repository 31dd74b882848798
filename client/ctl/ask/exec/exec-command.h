/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One run of a command: started, waited for, timed and counted by the calling process, which must have one thread. The time begins in the
 * child right before its exec, and ends when the caller, on the same CPU where it is pinned, is woken up by its end: after its memory is given back.
 * The kernel's raw monotonic clock times it, which is the time-stamp counter where that is sound.
 */

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
        int code;        /* exit code, signal or errno */
        unsigned n_left; /* processes that outlived it, and were killed */
        char left[64];   /* the name of the first of them */
} ExecOutcome;

/* Makes the caller the one to whom the orphans of a command come. */
void exec_command_prepare(void);

/* Runs @command in the caller's world, with @environment. Returns 0 or a negative errno. */
int exec_command_run(const ExecCommand *command, const ExecFiles *files, char *const *environment,
                ExecOutcome *ret_outcome);

/* Its failure in words: "exit code 2"; empty for EXEC_ENDED. */
const char *exec_command_words(const ExecOutcome *outcome, char words[static EXEC_WORDS_BYTES]);
