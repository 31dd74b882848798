/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Runner block: the block that a dead runner left, and the output of its module. Both are copied once, since a stray child of the
 * module could still write them, and only the copy is looked at.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/ops.h"
#include "ops/runner-plan.h"
#include "ops/sample-block.h"

#define RUNNER_BLOCK_OUTPUT_MAX 4096u /* bytes kept of a module's output */

/* The output of a module in one process: its end, from the beginning of a line on if there is one. */
typedef struct ModuleOutput {
        char text[RUNNER_BLOCK_OUTPUT_MAX];
        size_t n;
        uint64_t n_printed; /* bytes in all that were captured */
        bool cut;           /* it printed more than was captured */
} ModuleOutput;

/*
 * Copies the block of a runner in LIST, RUN or MEMORY @mode from @fd into memory that is then the caller's: a ListingBlock, a
 * MemoryBlock, or a SampleBlock for each of @n_sides; a BlockHead comes first in each. *@ret_block is NULL if no runner writes
 * such a block. Returns 0 or a negative errno.
 */
int runner_block_read(int fd, RunnerMode mode, uint32_t n_sides, void **ret_block);

/*
 * The side whose word on the end of a process counts, of @n_sides with blocks at @block, or NULL: the one that ended it, or that told of an end
 * where the other one did not. Its head.
 */
uint32_t runner_block_side(const void *block, RunnerMode mode, uint32_t n_sides, const OpsEnded *ended);
const BlockHead *runner_block_head(const void *block, uint32_t side);

/* Copies the end of the output. Returns 0 or a negative errno. */
int runner_block_read_output(int fd, ModuleOutput *ret_output);
