/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/realtime.h"

#include <errno.h>
#include <sched.h>

#include "launch/thread.h"

#define REALTIME_PRIORITY 5

bool realtime_stays_on(pid_t id, int cpu) {
        cpu_set_t set;

        return sched_getaffinity(id, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

bool realtime_holds(pid_t pid) {
        return (sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

OpsOutcome realtime_grant(pid_t pid, int cpu) {
        const struct sched_param parameter = { .sched_priority = REALTIME_PRIORITY };

        if (!realtime_stays_on(pid, cpu))
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

OpsOutcome realtime_grant_thread(const Thread *thread, int cpu) {
        OpsOutcome outcome;

        if (!thread_is_there(thread))
                return OPS_OUTCOME_OVERRIDDEN;
        outcome = realtime_grant(thread->id, cpu);
        if (outcome != OPS_OUTCOME_APPLIED || thread_is_there(thread))
                return outcome;
        realtime_revoke(thread->id);
        return OPS_OUTCOME_OVERRIDDEN;
}

void realtime_revoke_thread(const Thread *thread) {
        if (thread_is_there(thread))
                realtime_revoke(thread->id);
}
