/* SPDX-License-Identifier: MIT */
#include "proto/allocator.h"

#include <stdlib.h>

#define BUDGET_CHUNK_BYTES 32u /* what malloc() spends at least */

static void *budget_allocate(void *data, size_t n) {
        Allocator *budget = data;
        size_t cost = n < BUDGET_CHUNK_BYTES ? BUDGET_CHUNK_BYTES : n;
        void *memory;

        if (cost > budget->left_bytes)
                return NULL;
        memory = malloc(n);
        if (memory)
                budget->left_bytes -= cost;
        return memory;
}

static void budget_free(void *data, void *memory) {
        free(memory);
}

void allocator_init(Allocator *budget, size_t n_bytes) {
        *budget = (Allocator){
                .allocator = { .alloc = budget_allocate, .free = budget_free, .allocator_data = budget },
                .left_bytes = n_bytes,
        };
}
