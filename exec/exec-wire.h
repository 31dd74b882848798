/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The words between a body of the module exec, which times a whole command, and the stage, the process of benchctl that runs it. A packet
 * of a SOCK_SEQPACKET connection is one ExecAsk, and its answer one struct. Both programs are of one build.
 */

#include <stdint.h>

#define EXEC_VARIABLE "BENCHD_EXEC" /* of the environment: TOKEN:PATH of the socket */

#define EXEC_COMMANDS_MAX 64u
#define EXEC_NAME_BYTES   64u  /* RUNNER_NAME_MAX */
#define EXEC_TITLE_BYTES  192u /* LISTING_TEXT_MAX */
#define EXEC_WORDS_BYTES  480u
#define EXEC_NOTE_BYTES   64u /* SAMPLE_BLOCK_LABEL_MAX */
#define EXEC_TOKEN_BYTES  33u /* 32 hexadecimal digits */

typedef enum ExecQuestion {
        EXEC_DESCRIBE = 1, /* the command: ExecDescription */
        EXEC_RUN,          /* runs the command once: ExecRun */
} ExecQuestion;

typedef struct ExecAsk {
        char token[EXEC_TOKEN_BYTES]; /* shows that the runner is of this user's run */
        uint32_t question;            /* ExecQuestion */
        uint32_t command;             /* from 0; the first is the reference */
} ExecAsk;

typedef struct ExecDescription {
        uint32_t n; /* commands in all */
        char name[EXEC_NAME_BYTES];
        char title[EXEC_TITLE_BYTES];
} ExecDescription;

/* The counts of a run; their names are in exec.c. One that does not apply is NaN. */
typedef enum ExecCount {
        EXEC_USER_NS,
        EXEC_SYSTEM_NS,
        EXEC_MAX_RSS_BYTES, /* of its largest process */
        EXEC_MINOR_FAULTS,
        EXEC_MAJOR_FAULTS,
        EXEC_VOLUNTARY_SWITCHES,
        EXEC_INVOLUNTARY_SWITCHES,
        EXEC_READ_BYTES,
        EXEC_WRITTEN_BYTES,
        EXEC_STORAGE_BYTES, /* of those read, from a disk and not from memory */
        EXEC_DROPPED_BYTES, /* before it, from the page cache */
        EXEC_SHELL_NS,      /* the start of its shell, which was taken off */
        EXEC_START_NS,      /* of an empty program, which was not */
        EXEC_EXIT_CODE,
        _EXEC_COUNTS_N,
} ExecCount;

typedef struct ExecRun {
        double wall_ns; /* from its exec to its end, without the start of its shell */
        double counts[_EXEC_COUNTS_N];
        char failed[EXEC_WORDS_BYTES]; /* the reason; empty: it ran */
        char note[EXEC_NOTE_BYTES];    /* beside the result, such as what it left behind; empty: none */
} ExecRun;
