/* SPDX-License-Identifier: MIT */

/*
 * Binary search by the size of the array, and by the choice of items.
 *
 * A search for one item again and again finds every comparison predicted and every line in the first cache: a time that
 * hardly occurs in use. Shuffled items, made before, give the cost of a search that has nothing to do with the last one.
 * That time includes making a random index in place, or fetching the next of the shuffled items, so both stand here
 * alone too.
 */

#include <benchd/bench.h>
#include <stdlib.h>

#include "arrays.h"

BENCH_AREA(searching, .about = "binary search, by the choice of items");

#define SIZES BENCH_RANGE(n, 100, 6553600, 2)

static int __attribute__((noinline)) binary_search(int x, const int *array, int n) {
        int low = 0, high = n - 1;

        while (low <= high) {
                int middle = low + (high - low) / 2;

                if (x < array[middle])
                        high = middle - 1;
                else if (x > array[middle])
                        low = middle + 1;
                else
                        return middle;
        }
        return -1;
}

BENCH(search_one_item, .area = "searching", .args = SIZES, .about = "the same item each time, which is there") {
        int n = bench_arg(b, 0), item = 0.49 * n;
        int *array = fill_array(n, 0, 1);

        bench_loop(b)
                bench_use(binary_search(item, array, n));
        free(array);
}

BENCH(search_shuffled, .area = "searching", .args = SIZES, .about = "items in random order, all of them there") {
        int n = bench_arg(b, 0);
        int *array = fill_array(n, 0, 1), *items = fill_shuffled(n);
        uint32_t next = 0;

        bench_loop(b)
                bench_use(binary_search(items[next++ % (uint32_t)n], array, n));
        free(array);
        free(items);
}

BENCH(search_unsuccessful, .area = "searching", .args = SIZES, .about = "items in random order, none of them there") {
        int n = bench_arg(b, 0);
        int *array = fill_array(n, 1, 2), *items = fill_shuffled(n);
        uint32_t next = 0;

        bench_loop(b)
                bench_use(binary_search(2 * items[next++ % (uint32_t)n], array, n));
        free(array);
        free(items);
}

BENCH(search_mixed, .area = "searching", .args = SIZES, .about = "an array of odd numbers; items odd and even") {
        int n = bench_arg(b, 0);
        int *array = fill_array(n, 1, 2), *items = fill_shuffled(2 * (size_t)n);
        uint32_t next = 0;

        bench_loop(b)
                bench_use(binary_search(items[next++ % (2 * (uint32_t)n)], array, n));
        free(array);
        free(items);
}

BENCH(random_index, .area = "searching", .about = "a random number below 1 638 400, made in place") {
        uint32_t n = 1638400;
        uint64_t state = 1;

        bench_loop(b) {
                bench_opaque(n);
                bench_use(random_next(&state) % n);
        }
}

BENCH(fetch_item, .area = "searching", .args = SIZES, .about = "the next of n shuffled items, without a search") {
        int n = bench_arg(b, 0);
        int *items = fill_shuffled(n);
        uint32_t next = 0;

        bench_loop(b)
                bench_use(items[next++ % (uint32_t)n]);
        free(items);
}
