/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Memory of the command and of all processes of the stage, written by several of them at once. */

#include <limits.h>
#include <stdint.h>

#include "ctl/ask/exec/exec-overhead.h"
#include "exec/exec-wire.h"

#define EXEC_RUN_ID_BYTES 40u

typedef struct ExecShared {
        char socket[PATH_MAX];          /* of the daemon; empty: the default */
        char run_id[EXEC_RUN_ID_BYTES]; /* read once `accepted` is set */
        int accepted;
        ExecMean shell;
        ExecMean start;
        uint64_t runs[EXEC_COMMANDS_MAX]; /* begun, by command */
} ExecShared;

/* A process that runs commands asks the one that waits for a hook: ExecHookAsk, answered by EXEC_WORDS_BYTES, empty if it ended well. */
typedef struct ExecHookAsk {
        uint32_t hook; /* ExecHook */
        uint32_t command;
        uint64_t iteration;
} ExecHookAsk;
