/* SPDX-License-Identifier: MIT */

/*
 * A program that times its own code in seconds, with neither daemon nor library: bench.h alone. Two lines are for the timing.
 *
 * cc -O2 seconds.c
 */

#define BENCH_NO_MODULE /* no benchmark is defined here: only the timer of bench.h is used */
#include <benchd/bench.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBERS 1000000u

static int compare(const void *a, const void *b) {
        return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

int main(void) {
        static int numbers[NUMBERS];
        bench_timer timer;

        for (size_t i = 0; i < NUMBERS; i++)
                numbers[i] = rand();
        bench_timer_start(&timer);
        qsort(numbers, NUMBERS, sizeof *numbers, compare);
        printf("%u numbers sorted in %.6f s\n", NUMBERS, bench_timer_seconds(&timer));
        return EXIT_SUCCESS;
}
