/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Arrays of the numbers 0, 1, ... in order or shuffled, for the searches and sorts.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A linear congruential generator: short, the same everywhere, good enough to shuffle. */
static inline uint32_t random_next(uint64_t *state) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return *state >> 32;
}

static inline void swap(int *array, size_t i, size_t j) {
        int swapped = array[i];

        array[i] = array[j];
        array[j] = swapped;
}

/* first, first + step, ... Aborts without memory, which the runner reports. The caller frees it. */
static inline int *fill_array(size_t n, int first, int step) {
        int *array = malloc(n * sizeof *array);

        if (!array)
                abort();
        for (size_t i = 0; i < n; i++)
                array[i] = first + step * (int)i;
        return array;
}

static inline void shuffle(int *array, size_t n, uint64_t *state) {
        for (size_t i = n - 1; i > 0; i--)
                swap(array, i, random_next(state) % (i + 1));
}

static inline int *fill_shuffled(size_t n) {
        uint64_t state = 1;
        int *array = fill_array(n, 0, 1);

        shuffle(array, n, &state);
        return array;
}
