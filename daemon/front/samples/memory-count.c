/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/memory-count.h"

#include <inttypes.h>

#include "front/base/message.h"
#include "util/error.h"

/* Reasons for no count, by the block's state. */
static const char *const memory_reasons[_MEMORY_STATE_N] = {
        [MEMORY_STATE_NO_LIBRARY] = "the loader did not load benchd-count.so, from /proc/self/fd",
        [MEMORY_STATE_OWN_MALLOC] =
                        "the module has its own allocator, which it calls without a name that could be counted",
        [MEMORY_STATE_LOST] = "there was not enough memory to remember all blocks",
};

static void memory_fill(const MemoryBlock *block, double ops_per_iteration, Benchd__Memory *memory) {
        double operations = block->iterations * ops_per_iteration;

        message_set_whole(memory, operations, operations);
        message_set_finite(memory, allocations_per_operation, block->allocations / operations);
        message_set_finite(memory, frees_per_operation, block->frees / operations);
        message_set_finite(memory, bytes_per_operation, block->bytes / operations);
        message_set_finite(memory, retained_bytes_per_operation, block->retained_bytes / operations);
        message_set(memory, peak_bytes_per_iteration, block->peak_bytes_per_iteration);
        message_set(memory, peak_bytes_per_batch, block->peak_bytes_per_batch);
        message_set(memory, iterations_per_batch, block->iterations_per_batch);
        message_set(memory, leaked_blocks, block->leaked_blocks);
        message_set(memory, leaked_bytes, block->leaked_bytes);
        message_set(memory, leaked_iterations, block->iterations_counted);
}

int memory_count_report(const MemoryBlock *block, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings) {
        if (block->state != MEMORY_STATE_COUNTED) {
                warning_add(warnings, arena, WARNING_NOT_COUNTED, "allocations were not counted: %s",
                                memory_reasons[block->state]);
                return 0;
        }
        result->memory = message_new(arena, Benchd__Memory, benchd__memory);
        if (!result->memory)
                return error_origin(-ENOMEM);
        memory_fill(block, result->ops_per_iteration, result->memory);
        if (block->leaked_blocks > 0)
                warning_add(warnings, arena, WARNING_LEAKS,
                                "leaks: %" PRIu64 " block%s of %" PRIu64 " bytes together, allocated in %" PRIu64
                                " iterations, %s never freed",
                                block->leaked_blocks, block->leaked_blocks == 1 ? "" : "s", block->leaked_bytes,
                                block->iterations_counted, block->leaked_blocks == 1 ? "was" : "were");
        return 0;
}
