/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/pmu.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The words that a group's read() begins with (PERF_FORMAT_GROUP and both times); the counts follow. */
enum {
        PMU_WORD_N,
        PMU_WORD_ENABLED,
        PMU_WORD_RUNNING,
        PMU_WORD_COUNTS,
        PMU_WORDS_MAX = PMU_WORD_COUNTS + RUNNER_COUNTERS_MAX,
};

uint32_t pmu_find(void) {
        uint32_t counters = 0;
        uint64_t id;

        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (ioctl(RUNNER_FD_COUNTERS + i, PERF_EVENT_IOC_ID, &id) == 0)
                        counters |= 1u << i;
        return counters & COUNTER_CYCLES ? counters : 0;
}

void pmu_parse(uint32_t counters, const uint64_t *words, size_t n_bytes, PmuReading *ret_reading) {
        size_t n = __builtin_popcount(counters), next = PMU_WORD_COUNTS;

        *ret_reading = (PmuReading){};
        if (counters == 0 || n_bytes != (PMU_WORD_COUNTS + n) * sizeof *words || words[PMU_WORD_N] != n)
                return;
        ret_reading->counters = counters;
        ret_reading->enabled_ns = words[PMU_WORD_ENABLED];
        ret_reading->running_ns = words[PMU_WORD_RUNNING];
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (counters & (1u << i))
                        ret_reading->counts[i] = words[next++];
}

void pmu_read(uint32_t counters, PmuReading *ret_reading) {
        uint64_t words[PMU_WORDS_MAX];
        ssize_t n = 0;

        if (counters)
                n = read(RUNNER_FD_COUNTERS, words, sizeof words);
        pmu_parse(counters, words, n > 0 ? n : 0, ret_reading);
}

void pmu_difference(const PmuReading *before, const PmuReading *after, PmuReading *ret_difference) {
        uint64_t enabled_ns = after->enabled_ns - before->enabled_ns;
        uint64_t running_ns = after->running_ns - before->running_ns;

        *ret_difference = (PmuReading){};
        if (before->counters != after->counters || enabled_ns == 0 || running_ns < enabled_ns)
                return;
        ret_difference->counters = after->counters;
        ret_difference->enabled_ns = enabled_ns;
        ret_difference->running_ns = running_ns;
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                ret_difference->counts[i] = after->counts[i] - before->counts[i];
}
