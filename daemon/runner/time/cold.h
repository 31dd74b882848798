/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cold caches: what a batch finds when nothing that it uses was used for long.
 *
 * Data go by walking a buffer twice as large as the largest cache, whose every page is a page of its own; since the
 * lower levels hold code and data alike, that takes the code out of them too. The first-level instruction cache holds
 * code only: it goes by running through a block of code larger than any of them, a jump in each line, which also fills
 * the branch predictor with other branches. Nothing here needs memory that is both written and executed.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct Cold Cold;

/*
 * The bytes to walk for caches of @cache_bytes; 0: not known, taken for 32 MiB. At most 1 GiB, which takes 0.15 s where 64 MiB
 * take 2 ms. Pure.
 */
size_t cold_walk_bytes(uint64_t cache_bytes);

/*
 * Makes ready for caches of @cache_bytes. The buffer is one for the whole process, as large as the first holder said, and goes with
 * the last; all hold and release on one thread. Returns 0 or a negative errno.
 */
int cold_hold(uint64_t cache_bytes, Cold **ret_cold);
Cold *cold_release(Cold *cold);

/* Empties the caches of the CPU that runs this. Takes some milliseconds. */
void cold_empty(const Cold *cold);

/*
 * The largest cache of the CPU that runs this, as its own CPUID tells: one cache, with as much of it as other CPUs share.
 * libc adds up what a package of AMD has: 384 MiB for cores that reach 32 of them.
 */

/* One cache, as leaf 4 (Intel) or 0x8000001d (AMD) describes it. */
typedef struct ColdCacheLeaf {
        uint32_t eax, ebx, ecx;
} ColdCacheLeaf;

/* The bytes of data that it holds: 0 for one of instructions, and for the end of the list. */
uint64_t cold_cache_leaf_bytes(const ColdCacheLeaf *leaf);

/* 0: the processor does not tell. */
uint64_t cold_cache_largest(void);
