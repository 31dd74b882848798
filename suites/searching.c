/* SPDX-License-Identifier: MIT */

/*
 * searching: one of n ints, always with a match, by the length of the array.
 *
 * Keys come from a generator within the loop, which costs a multiplication beside the search: the same key again would
 * be learnt, and its lines would stay in the cache. Sizes are powers of two, so that a key is a few bits of the
 * generator.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BENCH_AREA(searching, .about = "one of n ints, found by random keys");
BENCH_EMBED_SOURCE;

/* The next of the numbers below @n, a power of two. */
static inline uint32_t random_below(uint64_t *state, size_t n) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return (uint32_t)(*state >> 33) & (uint32_t)(n - 1);
}

/* The even numbers below 2 n. */
static int *evens_make(struct bench *b, size_t n) {
        int *numbers = malloc(n * sizeof *numbers);

        if (!numbers)
                bench_fail(b, "no memory");
        for (size_t i = 0; i < n; i++)
                numbers[i] = 2 * (int)i;
        return numbers;
}

static int compare_ints(const void *a, const void *b) {
        int first = *(const int *)a, second = *(const int *)b;

        return (first > second) - (first < second);
}

BENCH(linear_search, .args = BENCH_RANGE(n, 256, 65536, 16),
                .about = "limited by a compare and a branch for each of n / 2 ints") {
        size_t n = bench_arg(b, 0);
        int *numbers = evens_make(b, n);
        uint64_t state = 1;

        bench_loop(b) {
                int key = 2 * (int)random_below(&state, n);
                size_t i = 0;

                while (numbers[i] != key)
                        i++;
                bench_use(i);
        }
        free(numbers);
}

BENCH(bsearch, .args = BENCH_RANGE(n, 16, 65536, 64),
                .about = "put into the loop by the C library's header: limited by a mispredicted branch in every second step") {
        size_t n = bench_arg(b, 0);
        int *numbers = evens_make(b, n);
        uint64_t state = 1;

        bench_loop(b) {
                int key = 2 * (int)random_below(&state, n);

                bench_use(bsearch(&key, numbers, n, sizeof *numbers, compare_ints));
        }
        free(numbers);
}

/* The place of @key among @n, a power of two. A comparison becomes a mask, so the compiler makes no branch. */
static inline size_t place_without_branch(const int *numbers, size_t n, int key) {
        size_t base = 0;

        for (size_t half = n / 2; half > 0; half /= 2) {
                size_t mask = -(size_t)(numbers[base + half] <= key);

                bench_opaque(mask);
                base += half & mask;
        }
        return base;
}

BENCH(binary_search_branchless, .args = BENCH_RANGE(n, 16, 65536, 64),
                .about = "limited by the chain of a load, a compare and an addition a step; the next key waits for it") {
        size_t n = bench_arg(b, 0);
        int *numbers = evens_make(b, n);
        uint64_t state = 1;

        bench_loop(b) {
                int key = 2 * (int)random_below(&state, n);

                state += place_without_branch(numbers, n, key);
        }
        free(numbers);
}

static void node_free(void *node) {
}

BENCH(tfind, .args = BENCH_RANGE(n, 16, 65536, 64),
                .about = "in a balanced tree: limited by a chain of loads, a call and a mispredicted branch a level") {
        size_t n = bench_arg(b, 0);
        int *numbers = evens_make(b, n);
        uint64_t state = 1;
        void *root = NULL;

        for (size_t i = 0; i < n; i++)
                tsearch(&numbers[(i * 40503u) & (n - 1)], &root, compare_ints); /* odd, so each once */
        bench_loop(b) {
                int key = 2 * (int)random_below(&state, n);

                bench_use(tfind(&key, &root, compare_ints));
        }
        tdestroy(root, node_free);
        free(numbers);
}

BENCH(hsearch, .args = BENCH_ARGS(n, 16, 16384),
                .about = "in a table filled to two thirds: limited by the hash of the name, two divisions and a strcmp") {
        size_t n = bench_arg(b, 0);
        char(*names)[16] = malloc(n * sizeof *names);
        struct hsearch_data table = { 0 };
        uint64_t state = 1;
        ENTRY *found;

        if (!names || !hcreate_r(n + n / 2, &table))
                bench_fail(b, "no memory");
        for (size_t i = 0; i < n; i++) {
                snprintf(names[i], sizeof names[i], "name-%u", (unsigned)i);
                if (!hsearch_r((ENTRY){ .key = names[i], .data = names[i] }, ENTER, &found, &table))
                        bench_fail(b, "a name was not entered: %s", strerror(errno));
        }
        bench_loop(b) {
                hsearch_r((ENTRY){ .key = names[random_below(&state, n)] }, FIND, &found, &table);
                bench_use(found);
        }
        hdestroy_r(&table);
        free(names);
}
