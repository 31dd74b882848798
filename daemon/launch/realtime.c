/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/realtime.h"

#include <errno.h>
#include <sched.h>

#define REALTIME_PRIORITY 5

OpsOutcome realtime_grant(pid_t pid) {
        const struct sched_param parameter = { .sched_priority = REALTIME_PRIORITY };

        if (sched_setscheduler(pid, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) < 0)
                return errno == EPERM ? OPS_OUTCOME_DENIED : OPS_OUTCOME_UNSUPPORTED;
        if ((sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO)
                return OPS_OUTCOME_OVERRIDDEN;
        return OPS_OUTCOME_APPLIED;
}

void realtime_revoke(pid_t pid) {
        const struct sched_param parameter = {};

        (void)sched_setscheduler(pid, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameter);
}
