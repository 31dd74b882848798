/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the order of COUNTER_*. */
static const uint64_t counters_events[RUNNER_COUNTERS_MAX] = {
        PERF_COUNT_HW_CPU_CYCLES,
        PERF_COUNT_HW_INSTRUCTIONS,
        PERF_COUNT_HW_BRANCH_MISSES,
        PERF_COUNT_HW_CACHE_MISSES,
};

static int counter_open(uint64_t event, int leader_fd) {
        struct perf_event_attr attributes = {
                .type = PERF_TYPE_HARDWARE,
                .size = sizeof attributes,
                .config = event,
                .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                .exclude_kernel = 1,
                .exclude_hv = 1,
        };

        return syscall(SYS_perf_event_open, &attributes, 0, -1, leader_fd, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(int ret_fds[static RUNNER_COUNTERS_MAX]) {
        int leader_fd = counter_open(counters_events[0], -1);

        ret_fds[0] = leader_fd;
        for (unsigned i = 1; i < RUNNER_COUNTERS_MAX; i++)
                ret_fds[i] = leader_fd < 0 ? -1 : counter_open(counters_events[i], leader_fd);
}
