/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/usage.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ops/sample-block.h"

#define USAGE_STOLEN_NS 20000 /* a switch of the hypervisor's takes no less; the kernel's own accounts are not finer */

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
 * The thread's CPU time is read for what reading it does: without SCHED_FIFO it brings the scheduler's accounts up to
 * date, so that a preemption that is due happens here rather than within the sample.
 */
void usage_begin(Usage *usage) {
        usage_read(usage);
        usage->cpu_ns = usage_cpu_ns();
}

void usage_begin_counting(Usage *usage, uint32_t counters) {
        pmu_read(counters, &usage->pmu);
}

void usage_end_counting(Usage *usage, uint32_t counters) {
        PmuReading before = usage->pmu, after;

        pmu_read(counters, &after);
        pmu_difference(&before, &after, &usage->pmu);
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
        else if (usage->preempted > 0) /* which is why the sequence fired */
                usage->blocked = 0;
}

bool usage_is_stolen(const Usage *usage, double batch_ns) {
        return !usage->switched && batch_ns > usage->cpu_ns + USAGE_STOLEN_NS;
}

uint32_t usage_flags(const Usage *usage) {
        return (usage->faults ? MARK_FAULTED : 0) | (usage->preempted ? MARK_PREEMPTED : 0);
}
