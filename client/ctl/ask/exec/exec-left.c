/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-left.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/time.h"

#define ROUNDS_MAX 1000u /* of killing, a millisecond each */

static bool first_child(pid_t *ret_pid) {
        char path[64];
        FILE *children;
        int pid;
        bool found;

        snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
        children = fopen(path, "re");
        if (!children)
                return false;
        found = fscanf(children, "%d", &pid) == 1;
        fclose(children);
        *ret_pid = pid;
        return found;
}

static void note(pid_t pid, ExecLeft *left) {
        char path[64];
        FILE *name;

        if (left->n++ > 0)
                return;
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        name = fopen(path, "re");
        if (!name)
                return;
        if (!fgets(left->name, sizeof left->name, name))
                left->name[0] = '\0';
        left->name[strcspn(left->name, "\n")] = '\0';
        fclose(name);
}

/* Buries the dead. Returns false if no child is left. */
static bool bury(void) {
        pid_t pid;

        do
                pid = waitpid(-1, NULL, WNOHANG);
        while (pid > 0);
        return pid == 0;
}

/* Orphans come to this process one generation at a time. */
void exec_left_end(ExecLeft *ret_left) {
        const struct timespec millisecond = { .tv_nsec = NS_PER_MS };
        ExecLeft left = {};
        pid_t pid, last = 0;

        for (unsigned round = 0; round < ROUNDS_MAX && bury() && first_child(&pid); round++) {
                if (pid != last)
                        note(pid, &left);
                last = pid;
                (void)kill(pid, SIGKILL);
                nanosleep(&millisecond, NULL);
        }
        *ret_left = left;
}
