/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/runner-block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define RUNNER_BLOCK_CAPTURED 65536u /* as much as the launcher keeps */

/* True if a process of two died before it wrote anything. */
static bool head_is_untouched(const BlockHead *head) {
        return memcmp(head, &(BlockHead){}, sizeof *head) == 0;
}

/* The heads alone are read where a side did not complete. */
static bool samples_valid(const SampleBlock *blocks, uint32_t n_sides) {
        bool complete = true;

        for (uint32_t i = 0; i < n_sides; i++) {
                if (!block_head_is_valid(&blocks[i].head) && (n_sides == 1 || !head_is_untouched(&blocks[i].head)))
                        return false;
                complete &= blocks[i].head.end == RUNNER_END_COMPLETE;
        }
        for (uint32_t i = 0; i < n_sides && (complete || n_sides == 1); i++)
                if (sample_block_check(&blocks[i]) != 0)
                        return false;
        return true;
}

static size_t block_bytes(RunnerMode mode, uint32_t n_sides) {
        if (mode == RUNNER_MODE_LIST)
                return sizeof(ListingBlock);
        if (mode == RUNNER_MODE_INSPECT)
                return sizeof(InspectionBlock);
        return mode == RUNNER_MODE_MEMORY ? sizeof(MemoryBlock) : n_sides * sizeof(SampleBlock);
}

static bool block_is_valid(const void *block, RunnerMode mode, uint32_t n_sides) {
        if (mode == RUNNER_MODE_LIST)
                return listing_block_check(block) == 0;
        if (mode == RUNNER_MODE_INSPECT)
                return inspection_block_check(block) == 0;
        return mode == RUNNER_MODE_MEMORY ? memory_block_check(block) == 0 : samples_valid(block, n_sides);
}

/* The block in memory, owned by the caller; NULL if it is malformed. Each block begins with a BlockHead. */
static int block_read(int fd, RunnerMode mode, uint32_t n_sides, void **ret_block) {
        const size_t n_bytes = block_bytes(mode, n_sides);
        _cleanup_(freep) void *block = NULL;
        size_t n;
        int r;

        block = calloc(1, n_bytes);
        if (!block)
                return error_origin(-ENOMEM);
        r = fd_read_sparse(fd, block, n_bytes, &n);
        if (r)
                return error_trace(r);
        *ret_block = n == n_bytes && block_is_valid(block, mode, n_sides) ? take_pointer(block) : NULL;
        return 0;
}

static bool end_is_told(const BlockHead *head) {
        return head->end != RUNNER_END_NONE && head->end != RUNNER_END_COMPLETE;
}

/*
 * The side whose word on the end of a process counts, of those with blocks at @block: the one that ended it, or that told of an end where
 * the other one did not.
 */
static uint32_t block_side(const void *block, RunnerMode mode, uint32_t n_sides, const OpsEnded *ended) {
        const SampleBlock *blocks = block;

        if (!block || mode != RUNNER_MODE_RUN || n_sides < 2)
                return 0;
        if (ended->exit_signal == 0 && !end_is_told(&blocks[ended->side].head) &&
                        end_is_told(&blocks[1 - ended->side].head))
                return 1 - ended->side;
        return ended->side;
}

static const BlockHead *block_head(const void *block, uint32_t side) {
        return block ? &((const SampleBlock *)block)[side].head : NULL;
}

/* Drops the rest of a line whose beginning was not read. */
static void output_begin_with_line(RunnerOutput *output) {
        const char *newline = memchr(output->text, '\n', output->n);

        if (!newline || newline + 1 == output->text + output->n)
                return;
        output->n -= newline + 1 - output->text;
        memmove(output->text, newline + 1, output->n);
}

int runner_block_read_output(int fd, RunnerOutput *ret_output) {
        const size_t n_most = sizeof ret_output->text;
        struct stat status;
        uint64_t n_before;
        int r;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        n_before = (uint64_t)status.st_size > n_most ? status.st_size - n_most : 0;
        r = fd_read_at(fd, n_before, ret_output->text, n_most, &ret_output->n);
        if (r)
                return error_trace(r);
        if (n_before > 0)
                output_begin_with_line(ret_output);
        ret_output->n_printed = status.st_size;
        ret_output->cut = (uint64_t)status.st_size >= RUNNER_BLOCK_CAPTURED;
        return 0;
}

int runner_block_take(const int fds[static 2], RunnerMode mode, uint32_t n_sides, bool commands, const OpsEnded *ended,
                uint64_t timeout_ns, RunnerDeadProcess *ret_process) {
        _cleanup_(freep) void *block = NULL;
        uint32_t side;
        int r;

        *ret_process = (RunnerDeadProcess){ .mode = mode };
        r = block_read(fds[0], mode, n_sides, &block);
        if (r == 0)
                r = runner_block_read_output(fds[1], &ret_process->output);
        if (r)
                return error_trace(r);
        side = block_side(block, mode, n_sides, ended);
        ret_process->end = process_end_judge(ended, block_head(block, side), &ret_process->output, mode, timeout_ns,
                                           &ret_process->other)
                                           ? NULL
                                           : &ret_process->other;
        if (ret_process->end && mode == RUNNER_MODE_RUN &&
                        !(commands && process_end_of_command(ended, block_head(block, side), side,
                                                      &ret_process->other)) &&
                        n_sides > 1)
                process_end_name_side(&ret_process->other, ended, side, commands);
        ret_process->block = take_pointer(block);
        return 0;
}
