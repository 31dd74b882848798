/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/cold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/error.h"

#define COLD_LINE_BYTES  64u
#define COLD_CACHE_BYTES ((size_t)32 << 20) /* where libc does not know */
#define COLD_WALK_MAX    ((size_t)128 << 20) /* a last level that is larger is made of parts, one of which is the core's */

struct Cold {
        char *memory;
        size_t n_memory;
};

/* 2048 lines, 128 KiB: twice the largest first-level instruction cache of any x86 so far. */
__asm__(".text\n"
        ".balign 64\n"
        ".type cold_code, @function\n"
        "cold_code:\n"
        ".rept 2048\n"
        "        jmp 1f\n"
        "        .balign 64, 0xcc\n"
        "1:\n"
        ".endr\n"
        "        ret\n"
        ".size cold_code, . - cold_code\n");

void cold_code(void) __attribute__((visibility("hidden")));

static size_t cold_largest_cache(void) {
        static const int levels[] = { _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE };
        long largest = 0;

        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
                long size = sysconf(levels[i]);

                largest = size > largest ? size : largest;
        }
        return largest > 0 ? (size_t)largest : COLD_CACHE_BYTES;
}

int cold_new(size_t cache_bytes, Cold **ret_cold) {
        size_t n_memory = 2 * (cache_bytes > 0 ? cache_bytes : cold_largest_cache());
        Cold *cold;
        char *memory;

        if (n_memory > COLD_WALK_MAX)
                n_memory = COLD_WALK_MAX;
        memory = mmap(NULL, n_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
                return error_origin(-errno);
        cold = malloc(sizeof *cold);
        if (!cold) {
                munmap(memory, n_memory);
                return error_origin(-ENOMEM);
        }
        (void)madvise(memory, n_memory, MADV_HUGEPAGE);
        memset(memory, 1,
                        n_memory); /* a page that was never written is the zero page, and one line stays in the cache */
        *cold = (Cold){ .memory = memory, .n_memory = n_memory };
        *ret_cold = cold;
        return 0;
}

Cold *cold_free(Cold *cold) {
        if (!cold)
                return NULL;
        munmap(cold->memory, cold->n_memory);
        free(cold);
        return NULL;
}

size_t cold_bytes(const Cold *cold) {
        return cold->n_memory;
}

void cold_empty(const Cold *cold) {
        for (size_t i = 0; i < cold->n_memory; i += COLD_LINE_BYTES)
                (void)*(const volatile char *)(cold->memory + i);
        cold_code();
}
