/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cold caches: the state that a batch finds when its code and data were not used for long.
 *
 * Data are evicted by walking a buffer twice as large as the largest cache, with distinct physical pages; since the
 * lower levels hold code and data alike, that evicts code from them too. The first-level instruction cache is emptied
 * by running through a block of code larger than any such cache, with a jump in each line, which also fills the branch
 * predictor with other branches. Nothing here needs memory that is both writable and executable.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct Cold Cold;

/*
 * The bytes to walk for caches of @cache_bytes; 0: not known, then 32 MiB are assumed. At most 1 GiB, which takes 0.15 s (64
 * MiB: 2 ms). Pure.
 */
size_t cold_walk_bytes(uint64_t cache_bytes);

/*
 * Prepares for caches of @cache_bytes. The process has one buffer, of the size that the first holder requested, which is freed with
 * the last; all hold and release on one thread. Returns 0 or a negative errno.
 */
int cold_hold(uint64_t cache_bytes, Cold **ret_cold);
Cold *cold_release(Cold *cold);

/* Empties the caches of the calling CPU. Takes some milliseconds. */
void cold_empty(const Cold *cold);

/*
 * The largest cache of the calling CPU, by CPUID: one cache, including the share of other CPUs. libc adds up all caches
 * of an AMD package: 384 MiB for cores that reach 32 MiB of them.
 */

/* One cache, as leaf 4 (Intel) or 0x8000001d (AMD) describes it. */
typedef struct ColdCacheLeaf {
        uint32_t eax, ebx, ecx;
} ColdCacheLeaf;

/* The bytes of data that it holds: 0 for an instruction cache and for the end of the list. */
uint64_t cold_cache_leaf_bytes(const ColdCacheLeaf *leaf);

/* Returns 0 if the processor does not report it. */
uint64_t cold_cache_largest(void);
