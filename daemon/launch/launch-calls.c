/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/launch-calls.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include "util/cleanup.h"
#include "util/error.h"

static const CallRule launch_rules[] = {
        { SYS_socket, 0, UINT32_MAX, AF_NETLINK }, /* CPUs that come and go */
        { SYS_bind },
        { SYS_flock }, /* the claim on the machine */
        { SYS_pidfd_send_signal },
        { SYS_sched_setscheduler }, /* windows of runners */
        { SYS_sched_setaffinity },
        { SYS_mkdirat }, /* control groups of runners */
        { SYS_mkdir },
        { SYS_rmdir },
        { SYS_capset },   /* its receiver gives up what is left; nobody gets any by it */
        { SYS_adjtimex }, /* the clock is only read: setting it takes a capability that is gone */
        { SYS_clock_adjtime },
};

int launch_calls_limit(CallFilterMode mode) {
        return error_trace(call_filter_install(launch_rules, N_ELEMENTS(launch_rules), mode));
}
