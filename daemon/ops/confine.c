/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool drop_bounding_set(void) {
        for (unsigned long capability = 0;; capability++)
                if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
                        return errno == EINVAL && capability > 0;
}

/*
 * Sets groups before the uid: afterwards they cannot be changed, and the extra ones would stay. Sets the limit of processes last: if the user's
 * other runs exceeded it, a process that became that user could not exec again (EAGAIN).
 */
static bool change_identity(const RunnerPlan *plan) {
        struct rlimit tasks;

        return getrlimit(RLIMIT_NPROC, &tasks) == 0 &&
               setrlimit(RLIMIT_NPROC, &(struct rlimit){ .rlim_cur = tasks.rlim_max, .rlim_max = tasks.rlim_max }) ==
                               0 &&
               setgroups(plan->n_groups, plan->groups) == 0 && setresgid(plan->gid, plan->gid, plan->gid) == 0 &&
               setresuid(plan->uid, plan->uid, plan->uid) == 0 &&
               setrlimit(RLIMIT_NPROC, &(struct rlimit){ .rlim_cur = tasks.rlim_cur, .rlim_max = tasks.rlim_cur }) == 0;
}

bool confine_drop_capabilities(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

        return syscall(SYS_capset, &header, none) == 0;
}

/*
 * Comes after the identity, whose change clears this; the parent may have died before. A parent outside the pid namespace shows as 0;
 * then the first process in the namespace watches it.
 */
static bool die_with_launcher(pid_t launcher) {
        return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && (getppid() == launcher || getppid() == 0);
}

/* Returns the name of the step that failed, or NULL. */
static const char *become_submitter(const RunnerPlan *plan) {
        if (plan->change_identity && (plan->uid == 0 || plan->gid == 0))
                return "an identity other than root's";
        if (plan->change_identity && !drop_bounding_set())
                return "PR_CAPBSET_DROP";
        if (plan->change_identity && !change_identity(plan))
                return "setgroups, setresgid, setresuid";
        if (!confine_drop_capabilities())
                return "capset";
        if (geteuid() != 0 && setresuid(0, 0, 0) == 0)
                return "a way back that is shut";
        return geteuid() == 0 ? "an identity other than root's" : NULL;
}

bool confine_identity(const RunnerPlan *plan) {
        return !become_submitter(plan) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

bool confine(const RunnerPlan *plan, const char **ret_step) {
        const char *step = become_submitter(plan);

        if (!step && !die_with_launcher(plan->launcher_pid))
                step = "PR_SET_PDEATHSIG";
        if (!step && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                step = "PR_SET_NO_NEW_PRIVS";
        if (!step && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
                step = "PR_SET_DUMPABLE";

        if (step)
                *ret_step = step;
        return !step;
}
