/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The words for each way in which a runner ends by its own account, for the reports of benchd and those of a runner that
 * runs alone.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/sample-block.h"

typedef enum RunnerEndBlame {
        RUNNER_END_BLAME_BENCHMARK,
        RUNNER_END_BLAME_MODULE,
        RUNNER_END_BLAME_DAEMON,
} RunnerEndBlame;

typedef struct RunnerEndWords {
        RunnerEnd end;
        const char *code;     /* of the table in PROTOCOL.md */
        const char *sentence; /* without its full stop; the runner's words follow after a colon */
        RunnerEndBlame blame;
        bool words_alone; /* the runner's words are the sentence, where there are any */
} RunnerEndWords;

/* NULL for an @end that needs no words (NONE, COMPLETE), has others (EXIT), or does not exist. */
const RunnerEndWords *runner_end_words(uint32_t end);
