/* SPDX-License-Identifier: MIT */

/*
 * Three sorts of shuffled numbers, by size. A sort leaves its array sorted, so it is shuffled again before each one, with
 * the clock paused: that costs two readings of the clock, nothing beside a sort of a hundred numbers.
 */

#include <benchd/bench.h>
#include <stdlib.h>

#include "arrays.h"

BENCH_AREA(sorts, .about = "selection sort, quicksort and heapsort");

typedef void SortFunction(int *array, size_t n);

static void selection_sort(int *array, size_t n) {
        for (size_t i = 0; i < n; i++) {
                size_t least = i;

                for (size_t j = i + 1; j < n; j++)
                        if (array[j] < array[least])
                                least = j;
                swap(array, i, least);
        }
}

/* Hoare's, with the middle element as pivot. */
static void quicksort_range(int *array, ptrdiff_t first, ptrdiff_t last) {
        ptrdiff_t i = first, j = last;
        int pivot = array[first + (last - first) / 2];

        while (i <= j) {
                while (array[i] < pivot)
                        i++;
                while (pivot < array[j])
                        j--;
                if (i <= j)
                        swap(array, i++, j--);
        }
        if (first < j)
                quicksort_range(array, first, j);
        if (i < last)
                quicksort_range(array, i, last);
}

static void quicksort(int *array, size_t n) {
        quicksort_range(array, 0, (ptrdiff_t)n - 1);
}

/* Lets array[i] sink to its place in the heap array[0..n). */
static void heap_sink(int *array, size_t i, size_t n) {
        for (size_t child; (child = 2 * i + 1) < n; i = child) {
                if (child + 1 < n && array[child + 1] > array[child])
                        child++;
                if (array[i] >= array[child])
                        return;
                swap(array, i, child);
        }
}

static void heapsort(int *array, size_t n) {
        for (size_t i = n / 2; i > 0; i--)
                heap_sink(array, i - 1, n);
        for (size_t i = n - 1; i > 0; i--) {
                swap(array, 0, i);
                heap_sink(array, 0, i);
        }
}

static void measure(struct bench *b, SortFunction *sort) {
        size_t n = bench_arg(b, 0);
        int *array = fill_array(n, 0, 1);
        uint64_t state = 1;

        bench_items(b, n);
        bench_loop(b) {
                bench_pause(b);
                shuffle(array, n, &state);
                bench_resume(b);
                sort(array, n);
                bench_clobber();
        }
        for (size_t i = 0; i < n; i++)
                if (array[i] != (int)i)
                        bench_fail(b, "not sorted at %zu", i);
        free(array);
}

BENCH(selection_sort, .area = "sorts", .args = BENCH_RANGE(n, 100, 12800, 2), .about = "n^2 comparisons") {
        measure(b, selection_sort);
}

BENCH(quicksort, .area = "sorts", .args = BENCH_RANGE(n, 100, 1638400, 2), .about = "Hoare's, middle pivot") {
        measure(b, quicksort);
}

BENCH(heapsort, .area = "sorts", .args = BENCH_RANGE(n, 100, 1638400, 2), .about = "with a heap in the array") {
        measure(b, heapsort);
}

/* At the one size of his first table. */
BENCH(selection_sort_10000, .area = "sorts", .args = BENCH_ARGS(n, 10000), .about = "10 000 numbers") {
        measure(b, selection_sort);
}

BENCH(quicksort_10000, .area = "sorts", .args = BENCH_ARGS(n, 10000), .about = "10 000 numbers") {
        measure(b, quicksort);
}

BENCH(heapsort_10000, .area = "sorts", .args = BENCH_ARGS(n, 10000), .about = "10 000 numbers") {
        measure(b, heapsort);
}
