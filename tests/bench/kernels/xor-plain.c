/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The Stopwatch experiment as a program that prepares nothing: RUNS calls of COUNT steps, each timed by itself, as the
 * scheduler lets it. A line a call: ticks of the time-stamp counter, nanoseconds, and how often it was preempted.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

#include "xor-steps.h"

typedef struct Reading {
        uint64_t ticks;
        uint64_t ns;
        long preempted;
} Reading;

static Reading reading_take(void) {
        struct timespec now;
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return (Reading){
                .ticks = __rdtsc(),
                .ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
                .preempted = usage.ru_nivcsw,
        };
}

int main(int argc, char **argv) {
        uint64_t runs = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
        uint64_t count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
        uint64_t result = 0;

        if (runs == 0 || count == 0) {
                fprintf(stderr, "usage: xor-plain RUNS COUNT\n");
                return 2;
        }
        for (uint64_t i = 0; i < runs; i++) {
                Reading before = reading_take(), after;

                result ^= xor_steps(before.ticks, count);
                after = reading_take();
                printf("%" PRIu64 " %" PRIu64 " %ld\n", after.ticks - before.ticks, after.ns - before.ns,
                                after.preempted - before.preempted);
        }
        fprintf(stderr, "%" PRIu64 "\n", result);
        return 0;
}
