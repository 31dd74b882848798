/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Blocks of memory by their address: which of the counted blocks are still allocated, and how large they are. A table
 * with open addressing, doubled when half full, in its own pages, because it is called from malloc(). Not thread-safe.
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

/* Adds a block that is not in the table. False if there is no memory. */
bool blocks_add(Blocks *blocks, const void *address, size_t bytes);

/* Removes a block. False if it is not in the table. */
bool blocks_remove(Blocks *blocks, const void *address, size_t *ret_bytes);

void blocks_clear(Blocks *blocks);
