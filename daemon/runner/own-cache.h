/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The largest cache of the CPU that runs this, as its own CPUID tells: one cache, with as much of it as other CPUs share.
 * libc adds up what a package of AMD has: 384 MiB for cores that reach 32 of them.
 */

#include <stddef.h>
#include <stdint.h>

/* One cache, as leaf 4 (Intel) or 0x8000001d (AMD) describes it. */
typedef struct CacheLeaf {
        uint32_t eax, ebx, ecx;
} CacheLeaf;

/* The bytes of data that it holds: 0 for one of instructions, and for the end of the list. */
uint64_t own_cache_leaf_bytes(const CacheLeaf *leaf);

/* 0: the processor does not tell. */
uint64_t own_cache_largest(void);
