/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Children that end with the test, however it ends: a test that fails, or is killed, leaves nobody pausing or spinning. */

#include <sys/prctl.h>

#include "test.h"

/* As fork(). */
static inline pid_t fork_mortal(void) {
        const pid_t test = getpid();
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != test))
                _exit(1);
        return pid;
}
