/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/stray.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/error.h"
#include "util/time.h"

int stray_adopt(void) {
        return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? error_origin(-errno) : 0;
}

static bool is_known(pid_t pid, const pid_t *known, size_t n_known) {
        for (size_t i = 0; i < n_known; i++)
                if (known[i] == pid)
                        return true;
        return false;
}

/* All at once before any is reaped, since one may be another's tracer. A child's pid is its own until we reap it. */
static unsigned stray_each(const pid_t *known, size_t n_known, void (*function)(pid_t pid)) {
        unsigned n_found = 0;
        char path[64];
        FILE *children;
        int pid;

        snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
        children = fopen(path, "re");
        if (!children)
                return 0;
        while (fscanf(children, "%d", &pid) == 1) {
                if (pid <= 1 || is_known(pid, known, n_known))
                        continue;
                n_found++;
                function(pid);
        }
        fclose(children);
        return n_found;
}

static void stray_end(pid_t pid) {
        kill(pid, SIGKILL);
}

static void stray_reap(pid_t pid) {
        (void)waitpid(pid, NULL, WNOHANG);
}

bool stray_kill(const pid_t *known, size_t n_known, unsigned patience_ms) {
        const struct timespec millisecond = { .tv_nsec = NS_PER_MS };

        for (unsigned ms = 0;; ms++) {
                if (stray_each(known, n_known, stray_end) == 0)
                        return true;
                stray_each(known, n_known, stray_reap);
                if (ms >= patience_ms)
                        return stray_each(known, n_known, stray_end) == 0;
                nanosleep(&millisecond, NULL);
        }
}
