/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Runner block: the block that a dead runner left, and the output of its module. Both are copied once, since a stray child of the module
 * could still write them, and only the copies are read. Together with the launcher's report they show how the process ended.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/samples/process-end.h"
#include "ops/block.h"
#include "ops/ops.h"
#include "ops/runner-plan.h"

#define RUNNER_BLOCK_OUTPUT_MAX 4096u /* bytes kept of a module's output */

/* The end of a module's output in one process, cut at the beginning of a line if possible. */
typedef struct RunnerOutput {
        char text[RUNNER_BLOCK_OUTPUT_MAX];
        size_t n;
        uint64_t n_printed; /* bytes in all that were captured */
        bool cut;           /* the module printed more than was captured */
} RunnerOutput;

/* A dead process and all that it left. */
typedef struct RunnerDeadProcess {
        RunnerMode mode; /* in which it ran */
        void *block;     /* of LIST, INSPECT or MEMORY mode, or a SampleBlock for each side; NULL: malformed */
        RunnerOutput output;
        const ProcessEnd *end; /* NULL: it completed its task */
        ProcessEnd other;      /* storage for `end` */
} RunnerDeadProcess;

/*
 * Copies the block and the output of a process of @n_sides, of whole @commands or not, from @fds, and judges its end by @ended and its limit
 * @timeout_ns. The caller owns the copied block. Returns 0 or a negative errno.
 */
int runner_block_take(const int fds[static 2], RunnerMode mode, uint32_t n_sides, bool commands, const OpsEnded *ended,
                uint64_t timeout_ns, RunnerDeadProcess *ret_process);

/* Copies the end of the output. Returns 0 or a negative errno. */
int runner_block_read_output(int fd, RunnerOutput *ret_output);
