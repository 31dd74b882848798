/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Blocks of memory by their address: which of those that were counted are still there, and how large they are. A table of
 * open addressing, doubled when half full, in pages of its own: malloc() is what it is asked from. Not thread-safe.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Block {
        uintptr_t address; /* 0: a free place */
        size_t bytes;
} Block;

typedef struct Blocks {
        Block *places;
        size_t n_places; /* a power of two; 0 before the first */
        size_t n;
} Blocks;

/* Remembers a block that is not in there. False where there is no memory. */
bool blocks_add(Blocks *blocks, const void *address, size_t bytes);

/* Forgets a block. False where it is not in there. */
bool blocks_remove(Blocks *blocks, const void *address, size_t *ret_bytes);

void blocks_clear(Blocks *blocks);
