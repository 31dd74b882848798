/* SPDX-License-Identifier: MIT */

/*
 * allocation: memory from the C library by size and by order, and from the kernel by mapping and by page.
 *
 * Every block goes back within its iteration, so the heap is as large after a batch as before it. The kernel's rows
 * map their memory anew in a pause, since a page that was touched once is not fresh again.
 */

#include <alloca.h>
#include <benchd/bench.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

BENCH_AREA(allocation, .about = "memory from the C library and from the kernel, by size and order");
BENCH_EMBED_SOURCE;

BENCH(malloc_free, .args = BENCH_ARGS(bytes, 16, 4096, 1048576),
                .about = "limited by the thread's cache up to 1032 bytes, by the arena's lock and lists beyond") {
        size_t bytes = bench_arg(b, 0);

        bench_loop(b) {
                char *block = malloc(bytes);

                bench_opaque(block);
                free(block);
        }
}

BENCH(calloc_free, .args = BENCH_ARGS(bytes, 16, 65536),
                .about = "limited by the arena's lists, since no thread's cache answers before glibc 2.41, and by the stores of zeros") {
        size_t bytes = bench_arg(b, 0);

        bench_bytes(b, bytes);
        bench_loop(b) {
                char *block = calloc(1, bytes);

                bench_opaque(block);
                free(block);
        }
}

BENCH(aligned_alloc_free, .args = BENCH_ARGS(bytes, 4096),
                .about = "limited by the search for room around a multiple of 64, which no thread's cache answers") {
        size_t bytes = bench_arg(b, 0);

        bench_loop(b) {
                char *block = aligned_alloc(64, bytes);

                bench_opaque(block);
                free(block);
        }
}

BENCH(realloc_growth, .ops = 12,
                .about = "12 doublings from 16 bytes to 64 KiB: limited by the arena's work, seldom by a copy") {
        bench_loop(b) {
                char *block = malloc(16);

                for (size_t bytes = 32; bytes <= 65536; bytes *= 2) {
                        block = realloc(block, bytes);
                        bench_opaque(block);
                }
                free(block);
        }
}

/* ---- many blocks at a time */

#define BLOCKS 256u

/* The order in which the blocks are freed: as they came, the last first, or at random. */
static void order_make(uint32_t order[BLOCKS], const char *name) {
        uint64_t state = 1;

        for (uint32_t i = 0; i < BLOCKS; i++)
                order[i] = strcmp(name, "lifo") == 0 ? BLOCKS - 1 - i : i;
        for (uint32_t i = BLOCKS - 1; i > 0 && strcmp(name, "random") == 0; i--) {
                uint32_t j, other = order[i];

                state = state * 6364136223846793005u + 1442695040888963407u;
                j = (uint32_t)(state >> 33) % (i + 1);
                order[i] = order[j];
                order[j] = other;
        }
}

BENCH(malloc_then_free, .args = BENCH_TEXTS(order, "fifo", "lifo", "random"), .ops = BLOCKS,
                .about = "256 blocks of 200 bytes, then all freed: limited by splitting and merging neighbours") {
        static char *blocks[BLOCKS];
        static uint32_t order[BLOCKS];

        order_make(order, bench_arg_text(b, 0));
        bench_loop(b) {
                for (uint32_t i = 0; i < BLOCKS; i++) {
                        blocks[i] = malloc(200);
                        bench_clobber();
                }
                for (uint32_t i = 0; i < BLOCKS; i++)
                        free(blocks[order[i]]);
        }
}

/* ---- the stack */

static __attribute__((noinline)) void take_from_stack(size_t bytes) {
        char *block = alloca(bytes);

        bench_opaque(block);
        *(volatile char *)block = 0;
}

BENCH(alloca, .about = "256 bytes in a separate call: limited by the call and the stack pointer's subtraction") {
        size_t bytes = 256;

        bench_opaque(bytes);
        bench_loop(b) {
                BENCH_REPEAT10(take_from_stack(bytes));
        }
}

/* ---- the kernel */

#define PAGE       4096u
#define HUGE_PAGE  (2u << 20)
#define READ_WRITE (PROT_READ | PROT_WRITE)

static char *region_map(struct bench *b, size_t bytes) {
        void *region = mmap(NULL, bytes, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (region == MAP_FAILED)
                bench_fail(b, "no mapping of %zu bytes: %s", bytes, strerror(errno));
        return region;
}

static void pages_touch(char *region, size_t bytes, size_t step) {
        for (size_t i = 0; i < bytes; i += step)
                *(volatile char *)(region + i) = 1;
}

BENCH(mmap_munmap,
                .about = "64 KiB mapped and unmapped, untouched: limited by two system calls and the tree of mappings") {
        bench_loop(b)
                munmap(region_map(b, 65536), 65536);
}

BENCH(mprotect, .ops = 2,
                .about = "one page to read-only and back: limited by a system call and the flush of the TLB") {
        char *page = region_map(b, PAGE);

        pages_touch(page, PAGE, PAGE);
        bench_loop(b) {
                mprotect(page, PAGE, PROT_READ);
                mprotect(page, PAGE, READ_WRITE);
        }
        munmap(page, PAGE);
}

#define FAULTS 256u

BENCH(page_fault, .ops = FAULTS,
                .about = "first write to a page of 4 KiB: limited by the fault's entry, the page allocator and zeroing") {
        size_t bytes = FAULTS * PAGE;
        char *region = region_map(b, bytes);

        bench_loop(b) {
                bench_pause(b);
                munmap(region, bytes);
                region = region_map(b, bytes);
                madvise(region, bytes, MADV_NOHUGEPAGE);
                bench_resume(b);
                pages_touch(region, bytes, PAGE);
        }
        munmap(region, bytes);
}

static long faults_so_far(void) {
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_minflt;
}

/* A huge page's place within @region, which is twice as large. */
static char *huge_page_within(char *region) {
        char *page = (char *)(((uintptr_t)region + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));

        madvise(page, HUGE_PAGE, MADV_HUGEPAGE);
        return page;
}

BENCH(page_fault_huge, .about = "first write to a page of 2 MiB: limited by zeroing it") {
        char *region = region_map(b, 2 * HUGE_PAGE), *page = huge_page_within(region);
        long faults = faults_so_far();

        pages_touch(page, HUGE_PAGE, PAGE);
        if (faults_so_far() - faults > 16)
                bench_skip(b, "the kernel gives no huge page (/sys/kernel/mm/transparent_hugepage/enabled)");
        bench_bytes(b, HUGE_PAGE);
        bench_loop(b) {
                bench_pause(b);
                munmap(region, 2 * HUGE_PAGE);
                region = region_map(b, 2 * HUGE_PAGE);
                page = huge_page_within(region);
                bench_resume(b);
                pages_touch(page, PAGE, PAGE);
        }
        munmap(region, 2 * HUGE_PAGE);
}
