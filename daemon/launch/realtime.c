/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/realtime.h"

#include <errno.h>
#include <sched.h>

#define REALTIME_PRIORITY 5

static bool stays_on(pid_t pid, int cpu) {
        cpu_set_t set;

        return sched_getaffinity(pid, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

bool realtime_holds(pid_t pid) {
        return (sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

OpsOutcome realtime_grant(pid_t pid, int cpu) {
        const struct sched_param parameter = { .sched_priority = REALTIME_PRIORITY };

        if (!stays_on(pid, cpu))
                return OPS_OUTCOME_OVERRIDDEN;

        if (sched_setscheduler(pid, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) < 0)
                return errno == EPERM ? OPS_OUTCOME_DENIED : OPS_OUTCOME_UNSUPPORTED;
        if (!realtime_holds(pid))
                return OPS_OUTCOME_OVERRIDDEN;
        return OPS_OUTCOME_APPLIED;
}

void realtime_revoke(pid_t pid) {
        const struct sched_param parameter = {};

        (void)sched_setscheduler(pid, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameter);
}
