/* SPDX-License-Identifier: MIT */
#include "util/time.h"

#include <sys/timex.h>
#include <time.h>

static uint64_t time_clock_ns(clockid_t clock) {
        struct timespec t;

        clock_gettime(clock, &t);
        return t.tv_sec * NS_PER_S + t.tv_nsec;
}

uint64_t time_monotonic_ns(void) {
        return time_clock_ns(CLOCK_MONOTONIC);
}

uint64_t time_boot_ns(void) {
        return time_clock_ns(CLOCK_BOOTTIME);
}

uint64_t time_thread_cpu_ns(void) {
        return time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool time_is_synchronised(void) {
        struct timex state = {};
        int r = adjtimex(&state);

        return r >= 0 && r != TIME_ERROR && !(state.status & STA_UNSYNC);
}

uint64_t time_realtime_ns(void) {
        return time_clock_ns(CLOCK_REALTIME);
}
