/* SPDX-License-Identifier: MIT */

/*
 * time_functions: reading clocks, and calendars from seconds.
 *
 * The time zone is a rule in text, as in the Berlin of today, so that no file of time zones decides.
 */

#include <benchd/bench.h>
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <x86intrin.h>

BENCH_AREA(time_functions, .about = "reading clocks, and calendars from seconds");
BENCH_EMBED_SOURCE;

/* ---- the processor's counter */

BENCH(rdtsc, .about = "limited by the instruction's throughput; it waits for nothing before it") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(__rdtsc()));
        }
}

static int has_rdtscp(void) {
        unsigned eax, ebx, ecx, edx;

        return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (edx & 1u << 27);
}

BENCH(rdtscp, .about = "limited by waiting for all instructions before it") {
        if (!has_rdtscp())
                bench_skip(b, "the processor announces no rdtscp");
        bench_loop(b) {
                unsigned processor;

                BENCH_REPEAT10(bench_use(__rdtscp(&processor)));
        }
}

BENCH(rdtsc_lfence, .about = "between two fences, as benchd reads it: limited by emptying the pipeline twice") {
        bench_loop(b) {
                BENCH_REPEAT10(_mm_lfence(); bench_use(__rdtsc()); _mm_lfence());
        }
}

/* ---- clocks */

typedef struct Clock {
        const char *name;
        clockid_t id;
} Clock;

static const Clock clocks[] = {
        { "realtime", CLOCK_REALTIME },
        { "monotonic", CLOCK_MONOTONIC },
        { "monotonic_coarse", CLOCK_MONOTONIC_COARSE },
        { "process_cpu", CLOCK_PROCESS_CPUTIME_ID },
        { "thread_cpu", CLOCK_THREAD_CPUTIME_ID },
};

static clockid_t clock_of(struct bench *b, const char *name) {
        for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
                if (strcmp(clocks[i].name, name) == 0)
                        return clocks[i].id;
        bench_fail(b, "no clock has the name %s", name);
}

BENCH(clock_gettime,
                .args = BENCH_TEXTS(clock, "realtime", "monotonic", "monotonic_coarse", "process_cpu", "thread_cpu"),
                .about = "limited by the counter's reading in the vDSO, by memory for a coarse clock, by the kernel for CPU time") {
        clockid_t id = clock_of(b, bench_arg_text(b, 0));
        struct timespec now;

        bench_loop(b) {
                clock_gettime(id, &now);
                bench_clobber();
        }
}

BENCH(gettimeofday, .about = "limited by the counter's reading in the vDSO") {
        struct timeval now;

        bench_loop(b) {
                gettimeofday(&now, NULL);
                bench_clobber();
        }
}

BENCH(time, .about = "limited by a load from the vDSO's page, which the kernel renews each tick") {
        bench_loop(b)
                bench_use(time(NULL));
}

BENCH(clock, .hidden = 1, .about = "CPU time of the process: limited by a system call") {
        bench_loop(b)
                bench_use(clock());
}

BENCH(nanosleep, .hidden = 1, .samples = 20, .processes = 5,
                .about = "the shortest sleep that can be had: limited by the timer's slack, interrupt and wake-up") {
        bench_loop(b)
                nanosleep(&(struct timespec){ .tv_nsec = 1 }, NULL);
}

/* ---- calendars */

#define MOMENT 1750000000 /* 2025-06-15 15:06:40 UTC */

static void zone_set(void) {
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
        tzset();
}

BENCH(gmtime_r, .about = "limited by a lock, and divisions for the day and the year") {
        time_t moment = MOMENT;
        struct tm calendar;

        bench_loop(b) {
                bench_opaque(moment);
                gmtime_r(&moment, &calendar);
                bench_clobber();
        }
}

BENCH(localtime_r, .about = "limited by a lock, and the zone's rules for the year beside gmtime_r") {
        time_t moment = MOMENT;
        struct tm calendar;

        zone_set();
        bench_loop(b) {
                bench_opaque(moment);
                localtime_r(&moment, &calendar);
                bench_clobber();
        }
}

BENCH(mktime, .about = "limited by trial conversions with the zone's rules, about one where the last difference held") {
        time_t moment = MOMENT;
        struct tm calendar;

        zone_set();
        localtime_r(&moment, &calendar);
        bench_loop(b) {
                struct tm copy = calendar;

                bench_opaque(copy);
                bench_use(mktime(&copy));
        }
}

BENCH(strftime, .about = "%Y-%m-%dT%H:%M:%S: limited by a look at TZ and the parsing of the format") {
        time_t moment = MOMENT;
        struct tm calendar;
        char text[32];

        gmtime_r(&moment, &calendar);
        bench_loop(b) {
                strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &calendar);
                bench_clobber();
        }
}
