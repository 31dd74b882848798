/* SPDX-License-Identifier: MIT */

/*
 * Common mistakes of benchmarks, each beside its correction: NAME_wrong and NAME_right. README.md lists the effects.
 */

#include <benchd/bench.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

BENCH_AREA(pitfalls, .about = "mistakes, each wrong and right side by side");

/* ---- dead code */

static inline uint64_t hash(uint64_t x) {
        for (int round = 0; round < 8; round++)
                x = (x ^ x >> 29) * 0x9e3779b97f4a7c15u;
        return x;
}

BENCH(dead_code_wrong, .about = "nobody uses the hash, so the compiler does not make it") {
        bench_loop(b)
                hash(bench_index(b));
}

BENCH(dead_code_right, .about = "bench_use(): somebody might") {
        bench_loop(b)
                bench_use(hash(bench_index(b)));
}

/* ---- set-up inside the loop */

#define TEXT_BYTES 1000u

static char *make_text(void) {
        char *text = malloc(TEXT_BYTES + 1);

        for (size_t i = 0; i < TEXT_BYTES; i++)
                text[i] = (char)('a' + i % 26);
        text[TEXT_BYTES] = 0;
        return text;
}

BENCH(setup_in_loop_wrong, .about = "strlen, and making the string each time") {
        bench_loop(b) {
                char *text = make_text();

                bench_opaque(text);
                bench_use(strlen(text));
                free(text);
        }
}

BENCH(setup_in_loop_right, .about = "strlen alone: the string is made before the loop") {
        char *text = make_text();

        bench_loop(b) {
                bench_opaque(text);
                bench_use(strlen(text));
        }
        free(text);
}

/* ---- the same item again */

#define ITEMS (1u << 20)

static uint32_t *make_items(void) {
        uint32_t *items = malloc(ITEMS * sizeof *items);

        for (uint32_t i = 0; i < ITEMS; i++)
                items[i] = 2 * i;
        return items;
}

static uint32_t __attribute__((noinline)) find(const uint32_t *items, uint32_t item) {
        uint32_t low = 0, high = ITEMS;

        while (low < high) {
                uint32_t middle = low + (high - low) / 2;

                if (items[middle] < item)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

BENCH(same_item_wrong, .about = "one item: its branches are learnt and its lines are in the cache") {
        uint32_t *items = make_items();

        bench_loop(b)
                bench_use(find(items, 2 * 123456));
        free(items);
}

/* By a count that goes on: @index begins anew in each batch, so a processor could learn the items. */
static void pick_item(void *input, uint64_t index, void *ctx) {
        uint64_t *n_picked = (uint64_t *)ctx;

        *(uint32_t *)input = 2 * (uint32_t)(hash((*n_picked)++) % ITEMS);
}

BENCH(same_item_right, .about = "another item each time, prepared by bench_inputs()") {
        uint32_t *items = make_items();
        uint64_t n_picked = 0;

        bench_inputs(b, sizeof(uint32_t), pick_item, NULL, &n_picked);
        bench_loop(b)
                bench_use(find(items, *(const uint32_t *)bench_input(b)));
        free(items);
}

/* ---- untouched zero pages */

#define PAGES_BYTES (16u << 20)

static uint64_t sum_of(const uint64_t *numbers, size_t n) {
        uint64_t sum = 0;

        for (size_t i = 0; i < n; i += 8) /* one a cache line */
                sum += numbers[i];
        return sum;
}

static void read_pages(struct bench *b, int touch) {
        void *pages = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (pages == MAP_FAILED)
                bench_skip(b, "no memory");
        if (touch)
                memset(pages, 1, PAGES_BYTES);
        bench_ops(b, PAGES_BYTES / 64);
        bench_loop(b) {
                bench_clobber();
                bench_use(sum_of(pages, PAGES_BYTES / sizeof(uint64_t)));
        }
        munmap(pages, PAGES_BYTES);
}

BENCH(zero_pages_wrong, .about = "memory that nobody wrote is one page of zeros, again and again", .samples = 20,
                .processes = 5) {
        read_pages(b, 0);
}

BENCH(zero_pages_right, .about = "memory that was written before it is read", .samples = 20, .processes = 5) {
        read_pages(b, 1);
}

/* ---- logging */

BENCH(logging_wrong, .about = "a line for each iteration is timed with it", .samples = 10, .processes = 3) {
        uint64_t x = 1;

        bench_loop(b) {
                x = hash(x);
                printf("%llu\n", (unsigned long long)x);
        }
}

BENCH(logging_right, .about = "one line when the loop is over", .samples = 10, .processes = 3) {
        uint64_t x = 1;

        bench_loop(b)
                x = hash(x);
        printf("%llu\n", (unsigned long long)x);
}

/* ---- a missing reset */

#define SET_MAX (1u << 20)

static uint32_t set[SET_MAX];
static uint32_t n_set;

/* Adds a key that is not in there yet; here none is. */
static void add(struct bench *b) {
        for (uint32_t i = 0; i < n_set; i++)
                if (set[i] == n_set + 1)
                        return;
        if (n_set == SET_MAX)
                bench_fail(b, "the set is full");
        n_set++;
        set[n_set - 1] = n_set;
}

static void empty_set(struct bench *b) {
        n_set = 0;
}

BENCH(missing_reset_wrong, .about = "each addition finds the set larger: the time depends on the length of the run",
                .samples = 10, .processes = 3) {
        bench_loop(b)
                add(b);
}

BENCH(missing_reset_right, .about = "100 additions to an empty set, emptied by .reset", .reset = empty_set,
                .iterations = 100) {
        bench_loop(b)
                add(b);
}

/* ---- a thread that is not joined */

static pthread_t worker;

static void *work(void *argument) {
        uint64_t x = 1;

        for (int i = 0; i < 100000; i++)
                x = hash(x);
        bench_use(x);
        return NULL;
}

static void start_work(struct bench *b) {
        if (pthread_create(&worker, NULL, work, NULL) != 0)
                bench_fail(b, "no thread");
}

static void end_work(struct bench *b) {
        pthread_join(worker, NULL);
}

BENCH(unjoined_thread_wrong, .about = "the work goes on when the clock has stopped", .hidden = 1, .reset = end_work,
                .samples = 10, .processes = 3) {
        bench_loop(b)
                start_work(b);
}

BENCH(unjoined_thread_right, .about = "joined within the iteration", .hidden = 1, .samples = 10, .processes = 3) {
        bench_loop(b) {
                start_work(b);
                end_work(b);
        }
}

/* ---- a first call taken for the cost */

static double sines[1024];
static int sines_made;

static double sine(uint32_t i) {
        for (uint32_t j = 0; !sines_made && j < 1024; j++)
                sines[j] = sin(j / 1024.0);
        sines_made = 1;
        return sines[i % 1024];
}

static void forget_sines(struct bench *b) {
        sines_made = 0;
}

BENCH(first_call_wrong, .about = "every call is a first one: it is the table that is timed", .reset = forget_sines) {
        uint32_t i = 1;

        bench_loop(b) {
                bench_opaque(i);
                bench_use(sine(i));
        }
}

BENCH(first_call_right, .about = "the table is made at the first call, which is timed apart (first_call_ns)") {
        uint32_t i = 1;

        bench_loop(b) {
                bench_opaque(i);
                bench_use(sine(i));
        }
}
