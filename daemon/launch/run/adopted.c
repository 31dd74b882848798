/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/adopted.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>

#include "launch/birth/stray.h"
#include "util/error.h"
#include "util/fd.h"

static bool is_gone(const AdoptedOne *one) {
        struct pollfd end = { .fd = one->pidfd, .events = POLLIN };

        return poll(&end, 1, 0) > 0;
}

static void adopted_drop_dead(Adopted *adopted) {
        size_t n = 0;

        for (size_t i = 0; i < adopted->n; i++) {
                if (is_gone(&adopted->ones[i]))
                        fd_close(adopted->ones[i].pidfd);
                else
                        adopted->ones[n++] = adopted->ones[i];
        }
        adopted->n = n;
}

/* A cpuset may leave it fewer CPUs than were asked for. */
OpsOutcome adopted_pin(pid_t pid, const cpu_set_t *cpus) {
        cpu_set_t now;

        if (sched_setaffinity(pid, sizeof *cpus, cpus) < 0 || sched_getaffinity(pid, sizeof now, &now) < 0)
                return OPS_OUTCOME_DENIED;
        return CPU_EQUAL(&now, cpus) ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_OVERRIDDEN;
}

int adopted_take(Adopted *adopted, pid_t pid) {
        AdoptedOne one = { .pid = pid };

        adopted_drop_dead(adopted);
        if (adopted->n == ADOPTED_MAX)
                return ADOPTED_E_FULL;
        one.pidfd = pidfd_open(pid, 0);
        if (one.pidfd < 0)
                return errno == ESRCH ? (int)ADOPTED_E_GONE : error_origin(-errno);
        adopted->ones[adopted->n++] = one;
        return 0;
}

void adopted_kill(const Adopted *adopted) {
        for (size_t i = 0; i < adopted->n; i++)
                if (!is_gone(&adopted->ones[i])) {
                        (void)pidfd_send_signal(adopted->ones[i].pidfd, SIGSTOP, NULL,
                                        0); /* its pid stays its own meanwhile */
                        stray_kill_below(adopted->ones[i].pid);
                }
}

bool adopted_are_gone(const Adopted *adopted) {
        for (size_t i = 0; i < adopted->n; i++)
                if (!is_gone(&adopted->ones[i]))
                        return false;
        return true;
}

void adopted_clear(Adopted *adopted) {
        for (size_t i = 0; i < adopted->n; i++)
                fd_close(adopted->ones[i].pidfd);
        *adopted = (Adopted){};
}
