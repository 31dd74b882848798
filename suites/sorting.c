/* SPDX-License-Identifier: MIT */

/*
 * sorting: arrays of ints by their length, so that the order of growth can be read off.
 *
 * Every iteration has another array, prepared before the batch by bench_inputs(), and every batch has others. A
 * processor learns the branches of arrays that come again, of fifty as of one: qsort would read a third faster.
 */

#include <benchd/bench.h>
#include <stdint.h>
#include <stdlib.h>

BENCH_AREA(sorting, .about = "arrays of ints by their length; each iteration has another one");
BENCH_EMBED_SOURCE;

static uint64_t random_next(uint64_t *state) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return *state >> 33;
}

typedef struct Supply {
        size_t n; /* numbers in an array */
        uint64_t state;
} Supply;

/* Continues where the last array ended, so that no batch repeats the arrays of the last. */
static void fill_random(void *input, uint64_t index, void *ctx) {
        Supply *supply = ctx;
        int *numbers = input;

        for (size_t i = 0; i < supply->n; i++)
                numbers[i] = (int)random_next(&supply->state);
}

static void fill_ascending(void *input, uint64_t index, void *ctx) {
        const size_t n = ((const Supply *)ctx)->n;
        int *numbers = input;

        for (size_t i = 0; i < n; i++)
                numbers[i] = (int)i;
}

static int compare_ints(const void *a, const void *b) {
        int first = *(const int *)a, second = *(const int *)b;

        return (first > second) - (first < second);
}

static void sort_by_qsort(int *numbers, size_t n) {
        qsort(numbers, n, sizeof *numbers, compare_ints);
}

static __attribute__((noinline)) void sort_by_insertion(int *numbers, size_t n) {
        for (size_t i = 1; i < n; i++) {
                int number = numbers[i];
                size_t j = i;

                for (; j > 0 && numbers[j - 1] > number; j--)
                        numbers[j] = numbers[j - 1];
                numbers[j] = number;
        }
}

/* Lets the number at @i sink to its place in the heap of @n. */
static void heap_sink(int *numbers, size_t n, size_t i) {
        int number = numbers[i];

        for (size_t child; (child = 2 * i + 1) < n; i = child) {
                child += child + 1 < n && numbers[child + 1] > numbers[child];
                if (numbers[child] <= number)
                        break;
                numbers[i] = numbers[child];
        }
        numbers[i] = number;
}

static __attribute__((noinline)) void sort_by_heap(int *numbers, size_t n) {
        for (size_t i = n / 2; i-- > 0;)
                heap_sink(numbers, n, i);
        for (size_t i = n; i-- > 1;) {
                int largest = numbers[0];

                numbers[0] = numbers[i];
                numbers[i] = largest;
                heap_sink(numbers, i, 0);
        }
}

/* Sorts arrays that @fill makes by @sort, and looks at the last one. */
static inline __attribute__((always_inline)) void sort_arrays(struct bench *b, void (*sort)(int *numbers, size_t n),
                void (*fill)(void *input, uint64_t index, void *ctx)) {
        Supply supply = { .n = (size_t)bench_arg(b, 0), .state = 1 };
        size_t n = supply.n, bytes = n * sizeof(int);
        int *last = malloc(bytes);

        if (!last)
                bench_fail(b, "no memory");
        fill(last, 0, &supply);
        sort(last, n);
        for (size_t i = 1; i < n; i++)
                if (last[i - 1] > last[i])
                        bench_fail(b, "not sorted at %zu", i);
        free(last);

        bench_items(b, (double)n);
        bench_inputs(b, bytes, fill, NULL, &supply);
        bench_loop(b)
                sort(bench_input(b), n);
}

BENCH(qsort, .args = BENCH_RANGE(n, 64, 4096, 8),
                .about = "limited by the call of the comparison, whose branch is mispredicted every other time") {
        sort_arrays(b, sort_by_qsort, fill_random);
}

BENCH(qsort_sorted, .args = BENCH_ARGS(n, 512),
                .about = "an array that is sorted: limited by the call of the comparison, whose branch is predicted") {
        sort_arrays(b, sort_by_qsort, fill_ascending);
}

BENCH(insertion_sort, .args = BENCH_RANGE(n, 256, 1024, 2), .about = "limited by n²/4 moves, a load and a store each") {
        sort_arrays(b, sort_by_insertion, fill_random);
}

BENCH(heap_sort, .args = BENCH_RANGE(n, 64, 4096, 8),
                .about = "limited by a chain of loads down the heap for each number") {
        sort_arrays(b, sort_by_heap, fill_random);
}
