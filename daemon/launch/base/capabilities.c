/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/base/capabilities.h"

#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"

static const cap_value_t capabilities_kept[] = {
        CAP_SYS_NICE,            /* SCHED_FIFO for a process of another user, and its affinity */
        CAP_SETUID,              /* becoming the submitter */
        CAP_SETGID, CAP_SETPCAP, /* emptying the bounding set of a runner */
        CAP_KILL, /* for processes that a runner left behind, where it has no control group; the unit drops it */
        CAP_SYS_RESOURCE, /* last, and the zygote's alone: a score for the OOM killer that the runner cannot lower */
};

static size_t n_kept(bool bears) {
        return N_ELEMENTS(capabilities_kept) - !bears;
}

static bool is_kept(cap_value_t capability, bool bears) {
        for (size_t i = 0; i < n_kept(bears); i++)
                if (capabilities_kept[i] == capability)
                        return true;
        return false;
}

static int limit_bounding_set(bool bears) {
        for (cap_value_t capability = 0; capability < cap_max_bits(); capability++)
                if (!is_kept(capability, bears) && cap_get_bound(capability) == 1 && cap_drop_bound(capability) < 0)
                        return error_origin(-errno);
        return 0;
}

/*
 * Only capabilities that this process has can be kept: a container may have dropped some. Code that needs a missing one
 * reports that.
 */
static int limit_own_sets(cap_t held, bool bears) {
        cap_t kept = cap_init();
        int r = 0;

        if (!kept)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_kept(bears); i++) {
                cap_flag_value_t value = CAP_CLEAR;

                cap_get_flag(held, capabilities_kept[i], CAP_PERMITTED, &value);
                cap_set_flag(kept, CAP_PERMITTED, 1, &capabilities_kept[i], value);
                cap_set_flag(kept, CAP_EFFECTIVE, 1, &capabilities_kept[i], value);
        }
        if (cap_set_proc(kept) < 0)
                r = error_origin(-errno);
        cap_free(kept);
        return r;
}

int capabilities_hand_on(void) {
        static const cap_value_t handed_on[] = { CAP_SETUID, CAP_SETGID, CAP_SETPCAP };
        cap_t held = cap_get_proc();
        int r = 0;

        if (!held)
                return error_origin(-errno);
        if (cap_set_flag(held, CAP_INHERITABLE, N_ELEMENTS(handed_on), handed_on, CAP_SET) < 0 ||
                        cap_set_proc(held) < 0)
                r = error_origin(-errno);
        for (size_t i = 0; i < N_ELEMENTS(handed_on) && r == 0; i++)
                if (cap_set_ambient(handed_on[i], CAP_SET) < 0)
                        r = error_origin(-errno);
        cap_free(held);
        return r;
}

int capabilities_limit(bool bears) {
        cap_t held;
        int r;

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return error_origin(-errno);
        if (geteuid() != 0)
                return 0;
        r = limit_bounding_set(bears);
        if (r)
                return error_trace(r);
        held = cap_get_proc();
        if (!held)
                return error_origin(-errno);
        r = limit_own_sets(held, bears);
        cap_free(held);
        return error_trace(r);
}

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
        { SYS_capset },   /* its receiver drops the rest; it can add none */
        { SYS_adjtimex }, /* the clock is only read: setting it takes a capability that is gone */
        { SYS_clock_adjtime },
};

int capabilities_limit_calls(CallFilterMode mode) {
        return error_trace(call_filter_install(launch_rules, N_ELEMENTS(launch_rules), mode));
}
