/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A pace's answer when a batch has ended: the next one, and the fate of the last.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/sample-block.h"

typedef struct PaceStep {
        RunnerPhase phase; /* FIRST_CALL, WARMUP, SAMPLING, or TEARDOWN: no further batch */
        uint64_t iterations;
        bool record; /* the batch that just ended is a sample */
        bool fresh;  /* ... and what was recorded before it no longer counts */
} PaceStep;
