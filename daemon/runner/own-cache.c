/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/own-cache.h"

#include <cpuid.h>

#define CACHES_MAX 8u

enum {
        CACHE_OF_DATA = 1,
        CACHE_OF_BOTH = 3,
};

/* Sets, ways, partitions, and bytes of a line, each less one. */
uint64_t own_cache_leaf_bytes(const CacheLeaf *leaf) {
        const uint32_t type = leaf->eax & 0x1f;

        if (type != CACHE_OF_DATA && type != CACHE_OF_BOTH)
                return 0;
        return ((uint64_t)leaf->ecx + 1) * ((leaf->ebx >> 22) + 1) * ((leaf->ebx >> 12 & 0x3ff) + 1) *
               ((leaf->ebx & 0xfff) + 1);
}

static uint64_t largest_of_leaf(uint32_t number) {
        uint64_t largest = 0;

        for (uint32_t i = 0; i < CACHES_MAX; i++) {
                CacheLeaf leaf;
                uint32_t edx;
                uint64_t bytes;

                if (!__get_cpuid_count(number, i, &leaf.eax, &leaf.ebx, &leaf.ecx, &edx))
                        return 0;
                bytes = own_cache_leaf_bytes(&leaf);
                largest = bytes > largest ? bytes : largest;
        }
        return largest;
}

uint64_t own_cache_largest(void) {
        const uint64_t intel = largest_of_leaf(4), amd = largest_of_leaf(0x8000001d);

        return intel > amd ? intel : amd;
}
