/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/runner-block.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define REMAINS_OUTPUT_CAPTURED 65536u /* the launcher keeps so much */

/* *@ret_block is NULL where there are not @n_block bytes. */
static int runner_block_read_block(int fd, size_t n_block, void **ret_block) {
        _cleanup_(freep) void *block = NULL;
        size_t n;
        int r;

        block = malloc(n_block);
        if (!block)
                return error_origin(-ENOMEM);
        r = fd_read_start(fd, block, n_block, &n);
        if (r)
                return error_trace(r);
        *ret_block = n == n_block ? take_pointer(block) : NULL;
        return 0;
}

int runner_block_read_listing(int fd, ListingBlock **ret_block) {
        _cleanup_(freep) void *block = NULL;
        int r;

        r = runner_block_read_block(fd, sizeof(ListingBlock), &block);
        if (r)
                return error_trace(r);
        *ret_block = block && listing_block_check(block) == 0 ? take_pointer(block) : NULL;
        return 0;
}

/* What a process that did not complete has told is in the first; of one that did, all are complete. */
static bool samples_valid(const SampleBlock *blocks, uint32_t n_sides) {
        if (sample_block_check(&blocks[0]) != 0)
                return false;
        for (uint32_t i = 1; i < n_sides && blocks[0].head.end == RUNNER_END_COMPLETE; i++)
                if (sample_block_check(&blocks[i]) != 0 || blocks[i].head.end != RUNNER_END_COMPLETE)
                        return false;
        return true;
}

int runner_block_read_samples(int fd, uint32_t n_sides, SampleBlock **ret_blocks) {
        _cleanup_(freep) void *blocks = NULL;
        int r;

        r = runner_block_read_block(fd, n_sides * sizeof(SampleBlock), &blocks);
        if (r)
                return error_trace(r);
        *ret_blocks = blocks && samples_valid(blocks, n_sides) ? take_pointer(blocks) : NULL;
        return 0;
}

int runner_block_read_memory(int fd, MemoryBlock **ret_block) {
        _cleanup_(freep) void *block = NULL;
        int r;

        r = runner_block_read_block(fd, sizeof(MemoryBlock), &block);
        if (r)
                return error_trace(r);
        *ret_block = block && memory_block_check(block) == 0 ? take_pointer(block) : NULL;
        return 0;
}

int runner_block_read_output(int fd, ModuleOutput *ret_output) {
        struct stat status;
        int r;

        r = fd_read_start(fd, ret_output->text, sizeof ret_output->text, &ret_output->n);
        if (r)
                return error_trace(r);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        ret_output->cut = (size_t)status.st_size >= REMAINS_OUTPUT_CAPTURED;
        return 0;
}
