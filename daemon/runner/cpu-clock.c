/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/cpu-clock.h"

#include <stdlib.h>
#include <time.h>

#define CPU_CLOCK_READINGS 101u

static uint64_t cpu_clock_read(clockid_t clock) {
        struct timespec t = {};

        clock_gettime(clock, &t);
        return t.tv_sec * 1000000000ull + t.tv_nsec;
}

uint64_t cpu_clock_process(void) {
        return cpu_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t cpu_clock_thread(void) {
        return cpu_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_ns(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

/* The least difference between two of the sorted @readings that differ. */
static uint64_t least_step(const uint64_t *readings) {
        uint64_t least = UINT64_MAX;

        for (unsigned i = 1; i < CPU_CLOCK_READINGS; i++) {
                const uint64_t step = readings[i] - readings[i - 1];

                if (step > 0 && step < least)
                        least = step;
        }
        return least == UINT64_MAX ? 1 : least;
}

CpuClockCost cpu_clock_cost(StopwatchFunction *clock, StopwatchFunction *stopwatch) {
        uint64_t batches[CPU_CLOCK_READINGS], pauses[CPU_CLOCK_READINGS];

        for (unsigned i = 0; i < CPU_CLOCK_READINGS; i++) {
                uint64_t began;

                began = clock();
                (void)stopwatch_start(stopwatch);
                (void)stopwatch_stop(stopwatch);
                batches[i] = clock() - began;
                began = clock();
                pauses[i] = clock() - began;
        }
        qsort(batches, CPU_CLOCK_READINGS, sizeof *batches, compare_ns);
        qsort(pauses, CPU_CLOCK_READINGS, sizeof *pauses, compare_ns);
        return (CpuClockCost){
                .batch_ns = batches[CPU_CLOCK_READINGS / 2],
                .pause_ns = pauses[CPU_CLOCK_READINGS / 2],
                .step_ns = least_step(batches),
        };
}
