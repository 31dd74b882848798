/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/count/blocks.h"

#include <sys/mman.h>

#define BLOCKS_PLACES_MIN 4096u

/*
 * The preferred place of a block. Addresses are multiples of 16; the multiplier is 2^64 divided by the golden ratio
 * (Knuth, 6.4).
 */
static size_t blocks_home(const Blocks *blocks, uintptr_t address) {
        return (address >> 4) * 0x9e3779b97f4a7c15u >> 32 & (blocks->n_places - 1);
}

static size_t blocks_next(const Blocks *blocks, size_t place) {
        return (place + 1) & (blocks->n_places - 1);
}

/* The place of @address, or the free one where it would be. */
static size_t blocks_find(const Blocks *blocks, uintptr_t address) {
        size_t place = blocks_home(blocks, address);

        while (blocks->places[place].address != 0 && blocks->places[place].address != address)
                place = blocks_next(blocks, place);
        return place;
}

static bool blocks_grow(Blocks *blocks) {
        size_t n_places = blocks->n_places ? 2 * blocks->n_places : BLOCKS_PLACES_MIN;
        Blocks grown = { .n_places = n_places, .n = blocks->n };

        grown.places = mmap(NULL, n_places * sizeof(Block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (grown.places == MAP_FAILED)
                return false;
        for (size_t i = 0; i < blocks->n_places; i++)
                if (blocks->places[i].address != 0)
                        grown.places[blocks_find(&grown, blocks->places[i].address)] = blocks->places[i];
        blocks_clear(blocks);
        *blocks = grown;
        return true;
}

bool blocks_add(Blocks *blocks, const void *address, size_t bytes) {
        if (2 * blocks->n >= blocks->n_places && !blocks_grow(blocks))
                return false;
        blocks->places[blocks_find(blocks, (uintptr_t)address)] =
                        (Block){ .address = (uintptr_t)address, .bytes = bytes };
        blocks->n++;
        return true;
}

/* Moves entries up that the gap at @gap would cut off from their preferred place. */
static void blocks_close_gap(Blocks *blocks, size_t gap) {
        size_t mask = blocks->n_places - 1;

        for (size_t place = blocks_next(blocks, gap); blocks->places[place].address != 0;
                        place = blocks_next(blocks, place)) {
                size_t home = blocks_home(blocks, blocks->places[place].address);

                if (((place - home) & mask) < ((place - gap) & mask))
                        continue;
                blocks->places[gap] = blocks->places[place];
                gap = place;
        }
        blocks->places[gap] = (Block){};
}

bool blocks_remove(Blocks *blocks, const void *address, size_t *ret_bytes) {
        size_t place;

        if (blocks->n == 0)
                return false;
        place = blocks_find(blocks, (uintptr_t)address);
        if (blocks->places[place].address == 0)
                return false;
        *ret_bytes = blocks->places[place].bytes;
        blocks_close_gap(blocks, place);
        blocks->n--;
        return true;
}

void blocks_clear(Blocks *blocks) {
        if (blocks->places)
                munmap(blocks->places, blocks->n_places * sizeof(Block));
        *blocks = (Blocks){};
}
