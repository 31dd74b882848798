/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/adopted.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>

#include "launch/birth/stray.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

#define STATUS_BYTES 4096u

/* ---- one */

/* The @n numbers after @key in proc_pid_status(5). */
static bool status_read(const char *text, const char *key, unsigned *ret_numbers, size_t n) {
        const char *at = strstr(text, key);
        int length;

        for (at = at ? at + strlen(key) : NULL; at && n > 0; at += length, ret_numbers++, n--)
                if (sscanf(at, "%*[ \t]%u%n", ret_numbers, &length) != 1)
                        return false;
        return at;
}

/* A program that became another user (setuid) is no more its starter's, who could not move or kill it. */
static int check_status(const char *text, uid_t uid) {
        unsigned uids[4], threads;

        if (!status_read(text, "\nUid:", uids, N_ELEMENTS(uids)) || !status_read(text, "\nThreads:", &threads, 1))
                return error_origin(-EBADMSG);
        for (size_t i = 0; i < N_ELEMENTS(uids); i++)
                if (uids[i] != uid)
                        return ADOPTED_E_STRANGER;
        return threads == 1 ? 0 : (int)ADOPTED_E_THREADS;
}

static int check(RootDir *root, pid_t pid, uid_t uid) {
        char path[64], text[STATUS_BYTES];
        int r;

        snprintf(path, sizeof path, "proc/%d/status", pid);
        r = root_dir_read(root, path, text, sizeof text);
        if (r == ROOT_DIR_E_MISSING || r == -ESRCH)
                return ADOPTED_E_GONE;
        return r ? error_fold(r) : check_status(text, uid);
}

int adopted_hold(RootDir *root, pid_t pid, uid_t uid, AdoptedOne *ret_one) {
        _cleanup_(adopted_let_go) AdoptedOne one = ADOPTED_ONE_NULL;
        int r;

        if (pid <= 0) /* of a namespace that this process cannot name */
                return ADOPTED_E_STRANGER;
        one = (AdoptedOne){ .pid = pid, .pidfd = pidfd_open(pid, 0) };
        if (one.pidfd < 0)
                return errno == ESRCH ? (int)ADOPTED_E_GONE : error_origin(-errno);
        r = check(root, pid, uid);
        if (r)
                return error_trace(r);
        if (sched_getaffinity(pid, sizeof one.before, &one.before) < 0 || adopted_is_gone(&one))
                return ADOPTED_E_GONE; /* what was read may be of another process */
        *ret_one = one;
        one.pidfd = -1;
        return 0;
}

void adopted_let_go(AdoptedOne *one) {
        one->pidfd = fd_close(one->pidfd);
}

bool adopted_is_gone(const AdoptedOne *one) {
        struct pollfd end = { .fd = one->pidfd, .events = POLLIN };

        return poll(&end, 1, 0) > 0;
}

bool adopted_obeys(const AdoptedOne *one) {
        return pidfd_send_signal(one->pidfd, 0, NULL, 0) == 0;
}

/* A cpuset may leave it fewer CPUs than were asked for. */
OpsOutcome adopted_pin(const AdoptedOne *one, const cpu_set_t *cpus) {
        cpu_set_t now;

        if (sched_setaffinity(one->pid, sizeof *cpus, cpus) < 0 || sched_getaffinity(one->pid, sizeof now, &now) < 0)
                return OPS_OUTCOME_DENIED;
        return CPU_EQUAL(&now, cpus) ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_OVERRIDDEN;
}

/* ---- all of them */

bool adopted_has_room(Adopted *adopted) {
        size_t n = 0;

        for (size_t i = 0; i < adopted->n; i++) {
                if (adopted_is_gone(&adopted->ones[i]))
                        adopted_let_go(&adopted->ones[i]);
                else
                        adopted->ones[n++] = adopted->ones[i];
        }
        adopted->n = n;
        return n < ADOPTED_MAX && adopted->n_came < ADOPTED_IN_ALL;
}

bool adopted_has(const Adopted *adopted, pid_t pid) {
        for (size_t i = 0; i < adopted->n; i++)
                if (adopted->ones[i].pid == pid && !adopted_is_gone(&adopted->ones[i]))
                        return true;
        return false;
}

void adopted_take(Adopted *adopted, const AdoptedOne *one) {
        adopted->ones[adopted->n++] = *one;
        adopted->n_came++;
}

void adopted_kill(const Adopted *adopted) {
        for (size_t i = 0; i < adopted->n; i++) {
                const AdoptedOne *one = &adopted->ones[i];

                if (!adopted_is_gone(one) && pidfd_send_signal(one->pidfd, SIGSTOP, NULL, 0) == 0)
                        stray_kill_below(one->pid); /* stopped, it does not end by itself, so its pid stays its own */
        }
}

bool adopted_are_gone(const Adopted *adopted) {
        for (size_t i = 0; i < adopted->n; i++)
                if (!adopted_is_gone(&adopted->ones[i]) && adopted_obeys(&adopted->ones[i]))
                        return false;
        return true;
}

static void give_back(pid_t pid, void *before) {
        (void)sched_setaffinity(pid, sizeof(cpu_set_t), before);
}

void adopted_clear(Adopted *adopted) {
        for (size_t i = 0; i < adopted->n; i++) {
                AdoptedOne *one = &adopted->ones[i];

                if (!adopted_is_gone(one))
                        stray_each(one->pid, give_back, &one->before);
                adopted_let_go(one);
        }
        *adopted = (Adopted){};
}
