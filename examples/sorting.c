/* SPDX-License-Identifier: MIT */

/*
 * Sorting and searching, by size.
 *
 * A sort destroys its own input: the second iteration would sort sorted numbers, which is another problem. So each
 * iteration copies the shuffled numbers first, and the copy stands as a benchmark of its own beside it, for the
 * reader to take off. (Where the cost of making the input is not small beside the work, bench_pause() or bench_inputs()
 * leaves it out; here it is small, and leaving it in shows how small.)
 *
 * The speed of a sort depends on the prediction of its comparisons, and a processor learns an order that it sees again and
 * again. The order here differs from process to process, so that no single one decides.
 */

#include <benchd/bench.h>
#include <stdlib.h>
#include <string.h>

BENCH_AREA(sorting, .about = "qsort and bsearch of the C library");

#define SIZES BENCH_RANGE(n, 100, 102400, 4)

/* A linear congruential generator: short, the same everywhere, good enough to shuffle. */
static uint32_t random_next(uint64_t *state) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return *state >> 32;
}

static int compare(const void *a, const void *b) {
        int x = *(const int *)a, y = *(const int *)b;

        return (x > y) - (x < y);
}

static int *numbers_new(size_t n) {
        int *numbers = malloc(n * sizeof *numbers);

        if (!numbers)
                abort();
        for (size_t i = 0; i < n; i++)
                numbers[i] = 2 * i;
        return numbers;
}

static int *shuffled_new(size_t n) {
        int *numbers = numbers_new(n);
        uint64_t state = (uintptr_t)&numbers;

        for (size_t i = n - 1; i > 0; i--) {
                size_t j = random_next(&state) % (i + 1);
                int swapped = numbers[i];

                numbers[i] = numbers[j];
                numbers[j] = swapped;
        }
        return numbers;
}

BENCH(copy_qsort, .area = "sorting", .args = SIZES, .about = "copies n shuffled ints and sorts them") {
        size_t n = bench_arg(b, 0);
        int *shuffled = shuffled_new(n), *numbers = numbers_new(n);

        bench_items(b, n);
        bench_loop(b) {
                memcpy(numbers, shuffled, n * sizeof *numbers);
                qsort(numbers, n, sizeof *numbers, compare);
                bench_clobber();
        }
        for (size_t i = 1; i < n; i++)
                if (numbers[i - 1] > numbers[i])
                        bench_fail(b, "not sorted at %zu", i);
        free(shuffled);
        free(numbers);
}

BENCH(copy, .area = "sorting", .args = SIZES, .about = "the copy in copy_qsort, alone") {
        size_t n = bench_arg(b, 0);
        int *shuffled = shuffled_new(n), *numbers = numbers_new(n);

        bench_items(b, n);
        bench_loop(b) {
                memcpy(numbers, shuffled, n * sizeof *numbers);
                bench_clobber();
        }
        free(shuffled);
        free(numbers);
}

BENCH(bsearch, .area = "sorting", .args = SIZES, .about = "finds a random one of n sorted ints") {
        size_t n = bench_arg(b, 0);
        int *numbers = numbers_new(n);
        uint64_t state = 1;

        bench_loop(b) {
                int key = 2 * (int)(random_next(&state) % n);

                bench_use(bsearch(&key, numbers, n, sizeof *numbers, compare));
        }
        free(numbers);
}
