/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/stray.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

#define STRAY_STOP_ROUNDS 20u
#define STRAY_PIDS_MAX    65536u

int stray_adopt(void) {
        return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? error_origin(-errno) : 0;
}

/* ---- finding them */

typedef struct Family {
        pid_t *pids;
        size_t n, n_allocated;
} Family;

static void family_clear(Family *family) {
        free(family->pids);
}

static bool is_among(pid_t pid, const pid_t *pids, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (pids[i] == pid)
                        return true;
        return false;
}

static void family_add(Family *family, pid_t pid) {
        if (family->n == family->n_allocated) {
                size_t n = family->n_allocated ? 2 * family->n_allocated : 64;
                pid_t *pids = n <= STRAY_PIDS_MAX ? reallocarray(family->pids, n, sizeof *pids) : NULL;

                if (!pids)
                        return; /* the rest is found in the next round */
                family->pids = pids;
                family->n_allocated = n;
        }
        family->pids[family->n++] = pid;
}

/* Each thread has its own children. */
static void family_add_children(Family *family, pid_t parent, const pid_t *known, size_t n_known) {
        char path[64];
        struct dirent *entry;
        DIR *threads;

        snprintf(path, sizeof path, "/proc/%d/task", parent);
        threads = opendir(path);
        if (!threads)
                return;
        while ((entry = readdir(threads))) {
                FILE *children;
                int pid;

                if (entry->d_name[0] == '.')
                        continue;
                snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, atoi(entry->d_name));
                children = fopen(path, "re");
                while (children && fscanf(children, "%d", &pid) == 1)
                        if (pid > 1 && !is_among(pid, known, n_known))
                                family_add(family, pid);
                if (children)
                        fclose(children);
        }
        closedir(threads);
}

/* Finds all descendants of @ancestor: parents stand before their children. */
static void family_find(Family *family, pid_t ancestor, const pid_t *known, size_t n_known) {
        family->n = 0;
        family_add_children(family, ancestor, known, n_known);
        for (size_t i = 0; i < family->n; i++)
                family_add_children(family, family->pids[i], NULL, 0);
}

static void family_signal(const Family *family, int number) {
        for (size_t i = 0; i < family->n; i++)
                (void)kill(family->pids[i], number);
}

/* ---- ending them */

/* Stops them until a round finds no more than the one before, then kills all. */
static void kill_descendants(Family *family, pid_t ancestor, const pid_t *known, size_t n_known) {
        size_t n_before = 0;

        for (unsigned round = 0; round < STRAY_STOP_ROUNDS; round++) {
                family_find(family, ancestor, known, n_known);
                if (family->n <= n_before)
                        break;
                n_before = family->n;
                family_signal(family, SIGSTOP);
        }
        family_signal(family, SIGKILL);
}

void stray_kill_below(pid_t pid) {
        _cleanup_(family_clear) Family family = {};

        (void)kill(pid, SIGSTOP);
        kill_descendants(&family, pid, NULL, 0);
        (void)kill(pid, SIGKILL);
}

void stray_each(pid_t pid, void (*each)(pid_t pid, void *userdata), void *userdata) {
        _cleanup_(family_clear) Family family = {};

        each(pid, userdata);
        family_find(&family, pid, NULL, 0);
        for (size_t i = 0; i < family.n; i++)
                each(family.pids[i], userdata);
}

/* A child's pid is its own until it is reaped here. */
static size_t reap_children(Family *family, const pid_t *known, size_t n_known) {
        size_t n_left = 0;

        family->n = 0;
        family_add_children(family, getpid(), known, n_known);
        for (size_t i = 0; i < family->n; i++)
                n_left += waitpid(family->pids[i], NULL, WNOHANG) <= 0;
        return n_left;
}

bool stray_kill(const pid_t *known, size_t n_known, unsigned patience_ms) {
        const struct timespec millisecond = { .tv_nsec = NS_PER_MS };
        _cleanup_(family_clear) Family family = {};

        for (unsigned ms = 0;; ms++) {
                if (reap_children(&family, known, n_known) == 0)
                        return true;
                kill_descendants(&family, getpid(), known, n_known);
                if (ms >= patience_ms)
                        return reap_children(&family, known, n_known) == 0;
                nanosleep(&millisecond, NULL);
        }
}

size_t stray_count_tasks(void) {
        FILE *file = fopen("/proc/loadavg", "re");
        size_t n = 0;

        if (file && fscanf(file, "%*s %*s %*s %*u/%zu", &n) != 1)
                n = 0;
        if (file)
                fclose(file);
        return n;
}
