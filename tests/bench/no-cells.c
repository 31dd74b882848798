/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Preloaded into benchd-launch: it gets no user namespace, as on a machine that refuses them, so its runners have no cell. Unlike a filter
 * of system calls it is not inherited: a runner is executed without it, and differs from another in the cell alone.
 */

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int unshare(int flags) {
        if (flags & CLONE_NEWUSER) {
                errno = EPERM;
                return -1;
        }
        return (int)syscall(SYS_unshare, flags);
}
