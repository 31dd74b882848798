/* SPDX-License-Identifier: MIT */

/*
 * memory: latency and bandwidth by the size of the working set, translations of addresses, and lines shared by two cores.
 *
 * Latency is that of a chase: each cache line holds the address of the next, in an order that no prefetcher can guess, so each read waits
 * for the one before. All memory is written before it is timed, and of huge pages where nothing else is said and the kernel has them. An
 * iteration is short and goes on where the last one stopped, so batches are short too, however large the working set.
 */

#include <benchd/bench.h>
#include <emmintrin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

BENCH_AREA(memory,
                .about = "latency and bandwidth by working set, translations of addresses, lines shared by two cores");
BENCH_EMBED_SOURCE;

enum {
        LINE_BYTES = 64,
        PAGE_BYTES = 4096,
        HUGE_PAGE_BYTES = 2 << 20,
        CHUNK_BYTES = 4096, /* of an iteration that measures bandwidth */
};

/* ---- working sets */

static long faults_so_far(void) {
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_minflt;
}

/* Fresh memory of at least @bytes, aligned to a huge page and not yet touched; of huge pages if the kernel has them. */
static char *memory_map(struct bench *b, size_t bytes, int advice) {
        size_t whole = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        char *map = mmap(NULL, whole + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        char *start;

        if (map == MAP_FAILED)
                bench_skip(b, "no %zu bytes of memory", whole);
        start = map + (HUGE_PAGE_BYTES - (uintptr_t)map % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
        (void)madvise(start, whole, advice); /* a kernel without huge pages refuses both kinds of advice */
        return start;
}

static char *memory_touch(char *start, size_t bytes) {
        for (size_t at = 0; at < bytes; at += PAGE_BYTES)
                start[at] = 1;
        return start;
}

/* Memory of small pages, which is malloc's usual kind, each of them touched. The process takes it with it. */
static char *small_pages_new(struct bench *b, size_t bytes) {
        return memory_touch(memory_map(b, bytes, MADV_NOHUGEPAGE), bytes);
}

/* Memory of huge pages, each of them touched. False if the kernel gave small ones: these take 512 faults instead of one. */
static bool huge_pages_try(struct bench *b, size_t bytes, char **ret_start) {
        char *start = memory_map(b, bytes, MADV_HUGEPAGE);
        size_t n = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES;
        long before = faults_so_far();

        *ret_start = memory_touch(start, n * HUGE_PAGE_BYTES);
        return faults_so_far() - before <= 2 * (long)n + 64;
}

/* For what translations of addresses would only blur. */
static char *huge_pages_if_any(struct bench *b, size_t bytes) {
        char *start;

        if (!huge_pages_try(b, bytes, &start))
                bench_label(b, "small pages");
        return start;
}

/* ---- chases */

/* A permutation of the numbers below 2^@bits: each step of it can be undone, so no two numbers become one. */
static inline uint64_t scramble(uint64_t number, unsigned bits) {
        uint64_t mask = (UINT64_C(1) << bits) - 1;

        for (unsigned round = 0; round < 3; round++) {
                number = number * UINT64_C(0x9e3779b97f4a7c15) & mask;
                number ^= number >> (bits / 2 + 1);
        }
        return number;
}

/* Links @n places, a power of two, of @stride bytes each into a circle, and returns one of them. The line within a place varies. */
static void **circle_link(char *start, size_t n, size_t stride) {
        unsigned bits = (unsigned)__builtin_ctzll(n);
        void **first = NULL, **last = NULL;

        for (size_t i = 0; i < n; i++) {
                uint64_t place = scramble(i, bits);
                void **here = (void **)(start + place * stride + place % (stride / LINE_BYTES) * LINE_BYTES);

                if (last)
                        *last = here;
                else
                        first = here;
                last = here;
        }
        *last = first;
        return first;
}

static inline __attribute__((always_inline)) void chase(struct bench *b, void **place) {
        bench_loop(b) {
                BENCH_REPEAT10(place = *place; bench_opaque(place));
        }
}

BENCH(chase, .args = BENCH_ARGS(bytes, 131072, 4 << 20, 64 << 20),
                .about = "small pages, each read waits for the one before: limited by the caches, and by page walks beyond the TLB") {
        size_t bytes = (size_t)bench_arg(b, 0);

        chase(b, circle_link(small_pages_new(b, bytes), bytes / LINE_BYTES, LINE_BYTES));
}

BENCH(chase_huge_pages, .args = BENCH_RANGE(bytes, 4096, 256 << 20, 2),
                .about = "each read waits for the one before: limited by the latency of the cache that holds the bytes") {
        size_t bytes = (size_t)bench_arg(b, 0);
        char *start;

        if (!huge_pages_try(b, bytes, &start))
                bench_skip(b, "the kernel gave no huge pages (/sys/kernel/mm/transparent_hugepage)");
        chase(b, circle_link(start, bytes / LINE_BYTES, LINE_BYTES));
}

BENCH(chase_pages, .args = BENCH_ARGS(pages, 32, 128, 1024, 4096, 16384),
                .about = "one line of each page of 4 KiB: limited by the first TLB, the second, then by page walks") {
        size_t pages = (size_t)bench_arg(b, 0);

        chase(b, circle_link(small_pages_new(b, pages * PAGE_BYTES), pages, PAGE_BYTES));
}

BENCH(chase_in_order, .args = BENCH_ARGS(stride, 64, 256, 4096),
                .about = "32 MiB by steps of so many bytes: limited by what the prefetchers fetch in time") {
        size_t stride = (size_t)bench_arg(b, 0), bytes = 32 << 20;
        char *start = huge_pages_if_any(b, bytes);

        for (size_t at = 0; at < bytes; at += stride)
                *(void **)(start + at) = start + (at + stride) % bytes;
        chase(b, (void **)start);
}

BENCH(read_at_random, .args = BENCH_ARGS(bytes, 64 << 20),
                .about = "addresses known in advance: limited by the number of reads that the core keeps under way") {
        size_t bytes = (size_t)bench_arg(b, 0), mask = bytes - 1;
        char *start = huge_pages_if_any(b, bytes);
        uint64_t state = 1;

        bench_loop(b) { /* the upper bits of a product with a long period; its latency is hidden behind that of memory */
                BENCH_REPEAT10(state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
                                bench_use(*(volatile char *)(start + (state >> 33 & mask))));
        }
}

/* ---- bandwidth: 4 KiB in an iteration, from where the last one stopped */

/* Intrinsics and empty assembly, or a compiler would call memcpy() and memset(). A line a step, so that the loops' ends do not count. */

static inline __attribute__((always_inline)) void chunk_read(const char *from) {
        for (const __m128i *line = (const __m128i *)from; line < (const __m128i *)(from + CHUNK_BYTES); line += 4) {
                __m128i one = _mm_load_si128(line), two = _mm_load_si128(line + 1), three = _mm_load_si128(line + 2),
                        four = _mm_load_si128(line + 3);

                __asm__ volatile("" : : "x"(one), "x"(two), "x"(three), "x"(four));
        }
}

static inline __attribute__((always_inline)) void chunk_write(char *to) {
        __m128i value = _mm_set1_epi32(1);

        for (__m128i *line = (__m128i *)to; line < (__m128i *)(to + CHUNK_BYTES); line += 4) {
                _mm_store_si128(line, value);
                _mm_store_si128(line + 1, value);
                _mm_store_si128(line + 2, value);
                _mm_store_si128(line + 3, value);
                __asm__ volatile("" : "+x"(value));
        }
}

static inline __attribute__((always_inline)) void chunk_write_past_caches(char *to) {
        __m128i value = _mm_set1_epi32(1);

        for (__m128i *line = (__m128i *)to; line < (__m128i *)(to + CHUNK_BYTES); line += 4) {
                _mm_stream_si128(line, value);
                _mm_stream_si128(line + 1, value);
                _mm_stream_si128(line + 2, value);
                _mm_stream_si128(line + 3, value);
        }
}

static inline __attribute__((always_inline)) void chunk_copy(char *to, const char *from) {
        for (size_t at = 0; at < CHUNK_BYTES; at += LINE_BYTES) {
                const __m128i *source = (const __m128i *)(from + at);
                __m128i *target = (__m128i *)(to + at);
                __m128i one = _mm_load_si128(source), two = _mm_load_si128(source + 1),
                        three = _mm_load_si128(source + 2), four = _mm_load_si128(source + 3);

                __asm__ volatile("" : "+x"(one), "+x"(two), "+x"(three), "+x"(four));
                _mm_store_si128(target, one);
                _mm_store_si128(target + 1, two);
                _mm_store_si128(target + 2, three);
                _mm_store_si128(target + 3, four);
        }
}

BENCH(read, .args = BENCH_ARGS(bytes, 16384, 262144, 128 << 20),
                .about = "16 bytes a load: limited by the load units, beyond the first cache by the prefetchers") {
        size_t bytes = (size_t)bench_arg(b, 0), mask = bytes - 1, at = 0;
        char *start = huge_pages_if_any(b, bytes);

        bench_bytes(b, CHUNK_BYTES);
        bench_loop(b) {
                chunk_read(start + at);
                at = (at + CHUNK_BYTES) & mask;
        }
}

BENCH(write, .args = BENCH_ARGS(bytes, 16384, 262144, 128 << 20),
                .about = "16 bytes a store: limited by the store units, beyond the first cache by reading the lines first") {
        size_t bytes = (size_t)bench_arg(b, 0), mask = bytes - 1, at = 0;
        char *start = huge_pages_if_any(b, bytes);

        bench_bytes(b, CHUNK_BYTES);
        bench_loop(b) {
                chunk_write(start + at);
                at = (at + CHUNK_BYTES) & mask;
        }
}

BENCH(copy, .args = BENCH_ARGS(bytes, 16384, 262144, 128 << 20),
                .about = "16 bytes a load and a store, one half to the other: limited by the way of both through the caches") {
        size_t bytes = (size_t)bench_arg(b, 0), half = bytes / 2, mask = half - 1, at = 0;
        char *start = huge_pages_if_any(b, bytes);

        bench_bytes(b, CHUNK_BYTES);
        bench_loop(b) {
                chunk_copy(start + half + at, start + at);
                at = (at + CHUNK_BYTES) & mask;
        }
}

BENCH(write_past_caches, .args = BENCH_ARGS(bytes, 128 << 20),
                .about = "16 bytes a streaming store: limited by the memory's bandwidth, since no line is read first") {
        size_t bytes = (size_t)bench_arg(b, 0), mask = bytes - 1, at = 0;
        char *start = huge_pages_if_any(b, bytes);

        bench_bytes(b, CHUNK_BYTES);
        bench_loop(b) {
                chunk_write_past_caches(start + at);
                at = (at + CHUNK_BYTES) & mask;
        }
}

/* ---- lines of two cores */

/* Two counters at a distance from each other, in memory that begins with a line. */
static void counters_new(struct bench *b) {
        void *lines = aligned_alloc(4 * LINE_BYTES, 4 * LINE_BYTES);

        if (!lines)
                bench_fail(b, "no memory");
        bench_set_context(b, memset(lines, 0, 4 * LINE_BYTES));
}

static void counters_free(struct bench *b) {
        free(bench_context(b));
}

static inline __attribute__((always_inline)) void count_apart(struct bench *b, size_t distance) {
        int64_t *counter = (int64_t *)bench_context(b) + bench_thread(b) * distance / sizeof(int64_t);

        bench_loop(b) {
                BENCH_REPEAT10((*counter)++; bench_clobber());
        }
}

BENCH(own_lines, .threads = BENCH_THREADS(2), .setup = counters_new, .teardown = counters_free,
                .about = "two threads count 128 bytes apart: limited as one thread alone, for neither needs the other's line") {
        count_apart(b, 2 * LINE_BYTES);
}

BENCH(false_sharing, .threads = BENCH_THREADS(2), .setup = counters_new, .teardown = counters_free,
                .about = "two threads count 8 bytes apart: limited by the way of their common line from core to core") {
        count_apart(b, sizeof(int64_t));
}

BENCH(true_sharing, .threads = BENCH_THREADS(2), .setup = counters_new, .teardown = counters_free,
                .about = "two threads write the same variable: limited by the way of the line from core to core") {
        count_apart(b, 0);
}
