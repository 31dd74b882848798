/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/usage.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ops/block.h"

/* The words that a group's read() begins with (PERF_FORMAT_GROUP and both times); the counts follow. */
enum {
        PMU_WORD_N,
        PMU_WORD_ENABLED,
        PMU_WORD_RUNNING,
        PMU_WORD_COUNTS,
        PMU_WORDS_MAX = PMU_WORD_COUNTS + RUNNER_COUNTERS_MAX,
};

uint32_t usage_pmu_find(void) {
        uint32_t counters = 0;
        uint64_t id;

        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (ioctl(RUNNER_FD_COUNTERS + i, PERF_EVENT_IOC_ID, &id) == 0)
                        counters |= 1u << i;
        return counters & COUNTER_CYCLES ? counters : 0;
}

void usage_pmu_parse(uint32_t counters, const uint64_t *words, size_t n_bytes, UsagePmu *ret_reading) {
        size_t n = __builtin_popcount(counters), next = PMU_WORD_COUNTS;

        *ret_reading = (UsagePmu){};
        if (counters == 0 || n_bytes != (PMU_WORD_COUNTS + n) * sizeof *words || words[PMU_WORD_N] != n)
                return;
        ret_reading->counters = counters;
        ret_reading->enabled_ns = words[PMU_WORD_ENABLED];
        ret_reading->running_ns = words[PMU_WORD_RUNNING];
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (counters & (1u << i))
                        ret_reading->counts[i] = words[next++];
}

void usage_pmu_read(uint32_t counters, UsagePmu *ret_reading) {
        uint64_t words[PMU_WORDS_MAX];
        ssize_t n = 0;

        if (counters)
                n = read(RUNNER_FD_COUNTERS, words, sizeof words);
        usage_pmu_parse(counters, words, n > 0 ? n : 0, ret_reading);
}

void usage_pmu_difference(const UsagePmu *before, const UsagePmu *after, UsagePmu *ret_difference) {
        uint64_t enabled_ns = after->enabled_ns - before->enabled_ns;
        uint64_t running_ns = after->running_ns - before->running_ns;

        *ret_difference = (UsagePmu){};
        if (before->counters != after->counters || enabled_ns == 0 || running_ns < enabled_ns)
                return;
        ret_difference->counters = after->counters;
        ret_difference->enabled_ns = enabled_ns;
        ret_difference->running_ns = running_ns;
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                ret_difference->counts[i] = after->counts[i] - before->counts[i];
}

#define USAGE_STOLEN_NS 20000 /* a hypervisor's switch takes no less, and the kernel's accounts are not finer */

static int64_t usage_output_bytes(void) {
        off_t written = lseek(STDOUT_FILENO, 0, SEEK_CUR);

        return (written < 0 ? 0 : written) + (int64_t)__fpending(stdout);
}

static int64_t usage_cpu_ns(void) {
        struct timespec t = {};

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void usage_read(Usage *usage) {
        struct rusage of = {};

        getrusage(RUSAGE_THREAD, &of);
        usage->faults = of.ru_minflt + of.ru_majflt;
        usage->blocked = of.ru_nvcsw;
        usage->preempted = of.ru_nivcsw;
        usage->output_bytes = usage_output_bytes();
}

/*
 * The thread's CPU time is read for its side effect: without SCHED_FIFO it updates the scheduler's accounts, so that a
 * due preemption happens here and not within the sample.
 */
void usage_begin(Usage *usage) {
        usage_read(usage);
        usage->cpu_ns = usage_cpu_ns();
}

void usage_begin_counting(Usage *usage, uint32_t counters) {
        usage_pmu_read(counters, &usage->pmu);
}

void usage_end_counting(Usage *usage, uint32_t counters) {
        UsagePmu before = usage->pmu, after;

        usage_pmu_read(counters, &after);
        usage_pmu_difference(&before, &after, &usage->pmu);
}

void usage_end(Usage *usage) {
        Usage before = *usage;

        usage->cpu_ns = usage_cpu_ns() - before.cpu_ns;
        usage_read(usage);
        usage->faults -= before.faults;
        usage->blocked -= before.blocked;
        usage->waited = usage->blocked != 0;
        usage->preempted -= before.preempted;
        usage->switched = usage->waited || usage->preempted != 0;
        usage->output_bytes -= before.output_bytes;
}

void usage_forgive_untimed(Usage *usage, uint32_t detectors, uint32_t flags) {
        if ((detectors & DETECTOR_CANARY) && !(flags & MARK_INTERRUPTED))
                usage->faults = 0;
        if (!(detectors & DETECTOR_RSEQ))
                return;
        if (!(flags & MARK_PREEMPTED))
                usage->blocked = usage->preempted = 0;
        else if (usage->preempted > 0) /* which triggered the sequence */
                usage->blocked = 0;
}

bool usage_is_stolen(const Usage *usage, double batch_ns) {
        return !usage->switched && batch_ns > usage->cpu_ns + USAGE_STOLEN_NS;
}

uint32_t usage_flags(const Usage *usage) {
        return (usage->faults ? MARK_FAULTED : 0) | (usage->preempted ? MARK_PREEMPTED : 0);
}

#define CPU_CLOCK_READINGS 101u

static uint64_t cpu_clock_read(clockid_t clock) {
        struct timespec t = {};

        clock_gettime(clock, &t);
        return t.tv_sec * 1000000000ull + t.tv_nsec;
}

uint64_t usage_clock_process(void) {
        return cpu_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t usage_clock_thread(void) {
        return cpu_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_ns(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

/* The smallest non-zero difference between two of the sorted @readings. */
static uint64_t least_step(const uint64_t *readings) {
        uint64_t least = UINT64_MAX;

        for (unsigned i = 1; i < CPU_CLOCK_READINGS; i++) {
                const uint64_t step = readings[i] - readings[i - 1];

                if (step > 0 && step < least)
                        least = step;
        }
        return least == UINT64_MAX ? 1 : least;
}

UsageClockCost usage_clock_cost(TickStopwatch *clock, TickStopwatch *stopwatch) {
        uint64_t batches[CPU_CLOCK_READINGS], pauses[CPU_CLOCK_READINGS];

        for (unsigned i = 0; i < CPU_CLOCK_READINGS; i++) {
                uint64_t began;

                began = clock();
                (void)tick_stopwatch_start(stopwatch);
                (void)tick_stopwatch_stop(stopwatch);
                batches[i] = clock() - began;
                began = clock();
                pauses[i] = clock() - began;
        }
        qsort(batches, CPU_CLOCK_READINGS, sizeof *batches, compare_ns);
        qsort(pauses, CPU_CLOCK_READINGS, sizeof *pauses, compare_ns);
        return (UsageClockCost){
                .batch_ns = batches[CPU_CLOCK_READINGS / 2],
                .pause_ns = pauses[CPU_CLOCK_READINGS / 2],
                .step_ns = least_step(batches),
        };
}
