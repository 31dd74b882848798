/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool drop_bounding_set(void) {
        for (unsigned long capability = 0;; capability++)
                if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
                        return errno == EINVAL && capability > 0;
}

/* Groups before the uid: afterwards they can no longer be changed, and the extra ones would stay. */
static bool change_identity(const RunnerPlan *plan) {
        return setgroups(plan->n_groups, plan->groups) == 0 && setresgid(plan->gid, plan->gid, plan->gid) == 0 &&
               setresuid(plan->uid, plan->uid, plan->uid) == 0;
}

bool confine_drop_capabilities(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

        return syscall(SYS_capset, &header, none) == 0;
}

/*
 * After the identity, since a change of it clears this; the parent may have died before it was set. A parent outside the namespace of
 * processes has no number there, and the first process in it watches over its life.
 */
static bool die_with_launcher(pid_t launcher) {
        return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && (getppid() == launcher || getppid() == 0);
}

bool confine(const RunnerPlan *plan, const char **ret_step) {
        const char *step = NULL;

        if (plan->change_identity && (plan->uid == 0 || plan->gid == 0))
                step = "an identity other than root's";
        else if (plan->change_identity && !drop_bounding_set())
                step = "PR_CAPBSET_DROP";
        else if (plan->change_identity && !change_identity(plan))
                step = "setgroups, setresgid, setresuid";
        else if (!confine_drop_capabilities())
                step = "capset";
        else if (geteuid() != 0 && setresuid(0, 0, 0) == 0)
                step = "a way back that is shut";
        else if (geteuid() == 0)
                step = "an identity other than root's";
        else if (!die_with_launcher(plan->launcher_pid))
                step = "PR_SET_PDEATHSIG";
        else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                step = "PR_SET_NO_NEW_PRIVS";
        else if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
                step = "PR_SET_DUMPABLE";

        if (step)
                *ret_step = step;
        return !step;
}
