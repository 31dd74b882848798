/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/stray.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/error.h"

/* Each round kills a generation; a bomb that outruns this many meets the next round after the next runner. */
#define STRAY_ROUNDS_MAX 1000u

int stray_adopt(void) {
        return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? error_origin(-errno) : 0;
}

static bool is_known(pid_t pid, const pid_t *known, size_t n_known) {
        for (size_t i = 0; i < n_known; i++)
                if (known[i] == pid)
                        return true;
        return false;
}

/* Kills one generation. False if there was none. A child's pid is its own until we reap it. */
static bool stray_kill_round(const pid_t *known, size_t n_known) {
        char path[64];
        bool found = false;
        FILE *children;
        int pid;

        snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
        children = fopen(path, "re");
        if (!children)
                return false;
        while (fscanf(children, "%d", &pid) == 1) {
                if (pid <= 1 || is_known(pid, known, n_known))
                        continue;
                found = true;
                kill(pid, SIGKILL);
                waitpid(pid, NULL, 0);
        }
        fclose(children);
        return found;
}

void stray_kill(const pid_t *known, size_t n_known) {
        for (unsigned round = 0; round < STRAY_ROUNDS_MAX; round++)
                if (!stray_kill_round(known, n_known))
                        return;
}
