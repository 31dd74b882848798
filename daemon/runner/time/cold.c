/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/cold.h"

#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>

#include "util/error.h"

#define COLD_LINE_BYTES  64u
#define COLD_CACHE_BYTES (32ull << 20) /* if the processor does not report it */
#define COLD_WALK_MAX    (1ull << 30)  /* twice the largest single cache that exists, some 500 MiB */

struct Cold {
        char *memory;
        size_t n_memory;
        unsigned n_holders;
};

static Cold cold; /* of this process */

/* 2048 lines, 128 KiB: twice the largest first-level instruction cache of any x86 so far. */
__asm__(".pushsection .text\n"
        ".balign 64\n"
        ".globl cold_code\n" /* LTO may put its callers into another object */
        ".hidden cold_code\n"
        ".type cold_code, @function\n"
        "cold_code:\n"
        ".rept 2048\n"
        "        jmp 1f\n"
        "        .balign 64, 0xcc\n"
        "1:\n"
        ".endr\n"
        "        ret\n"
        ".size cold_code, . - cold_code\n"
        ".popsection\n");

void cold_code(void) __attribute__((visibility("hidden")));

size_t cold_walk_bytes(uint64_t cache_bytes) {
        const uint64_t bytes = cache_bytes > 0 ? cache_bytes : COLD_CACHE_BYTES;

        return bytes < COLD_WALK_MAX / 2 ? 2 * bytes : COLD_WALK_MAX;
}

static int cold_make(uint64_t cache_bytes) {
        const size_t n_memory = cold_walk_bytes(cache_bytes);
        char *memory;

        memory = mmap(NULL, n_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
                return error_origin(-errno);
        (void)madvise(memory, n_memory, MADV_HUGEPAGE);
        /* unwritten pages are all the zero page, which would stay in the cache */
        memset(memory, 1, n_memory);
        cold = (Cold){ .memory = memory, .n_memory = n_memory };
        return 0;
}

int cold_hold(uint64_t cache_bytes, Cold **ret_cold) {
        int r = 0;

        if (cold.n_holders == 0)
                r = cold_make(cache_bytes);
        if (r)
                return error_trace(r);
        cold.n_holders++;
        *ret_cold = &cold;
        return 0;
}

Cold *cold_release(Cold *held) {
        if (held && --held->n_holders == 0)
                munmap(held->memory, held->n_memory);
        return NULL;
}

void cold_empty(const Cold *held) {
        for (size_t i = 0; i < held->n_memory; i += COLD_LINE_BYTES)
                (void)*(const volatile char *)(held->memory + i);
        cold_code();
}

#define CACHES_MAX 8u

enum {
        CACHE_OF_DATA = 1,
        CACHE_OF_BOTH = 3,
};

/* Sets, ways, partitions, and bytes of a line, each less one. */
uint64_t cold_cache_leaf_bytes(const ColdCacheLeaf *leaf) {
        const uint32_t type = leaf->eax & 0x1f;

        if (type != CACHE_OF_DATA && type != CACHE_OF_BOTH)
                return 0;
        return ((uint64_t)leaf->ecx + 1) * ((leaf->ebx >> 22) + 1) * ((leaf->ebx >> 12 & 0x3ff) + 1) *
               ((leaf->ebx & 0xfff) + 1);
}

static uint64_t largest_of_leaf(uint32_t number) {
        uint64_t largest = 0;

        for (uint32_t i = 0; i < CACHES_MAX; i++) {
                ColdCacheLeaf leaf;
                uint32_t edx;
                uint64_t bytes;

                if (!__get_cpuid_count(number, i, &leaf.eax, &leaf.ebx, &leaf.ecx, &edx))
                        return 0;
                bytes = cold_cache_leaf_bytes(&leaf);
                largest = bytes > largest ? bytes : largest;
        }
        return largest;
}

uint64_t cold_cache_largest(void) {
        const uint64_t intel = largest_of_leaf(4), amd = largest_of_leaf(0x8000001d);

        return intel > amd ? intel : amd;
}
