/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

#define THREADS_MAX 4096u /* that are looked at, in order of their ids */

/*
 * Field 22 of proc(5)'s stat, the 20th after the name, which is in parentheses and may hold any character. False where
 * it is not there.
 */
static bool stat_read_start(const char *text, uint64_t *ret_started) {
        const char *rest = strrchr(text, ')');

        return rest && sscanf(rest + 1,
                                       " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                       "%" SCNu64,
                                       ret_started) == 1;
}

int thread_find(RootDir *root, pid_t process, pid_t id, Thread *ret_thread) {
        Thread thread = { .process = process, .id = id };
        char path[64], text[1024];
        int r;

        snprintf(path, sizeof path, "proc/%d/task/%d/stat", process, id);
        r = root_dir_read(root, path, text, sizeof text);
        if (r == ROOT_DIR_E_MISSING || r == -ESRCH)
                return THREAD_E_GONE;
        if (r)
                return error_fold(r);
        if (!stat_read_start(text, &thread.started))
                return error_origin(-EBADMSG);
        *ret_thread = thread;
        return 0;
}

/* The last number of NSpid in proc_pid_status(5), which is the innermost namespace's; -1 where it is not there. */
static pid_t status_read_own_id(const char *text) {
        static const char key[] = "\nNSpid:";
        const char *at = strstr(text, key);
        pid_t id = -1;
        int n;

        for (at = at ? at + strlen(key) : ""; sscanf(at, "%*[ \t]%d%n", &id, &n) == 1; at += n)
                ;
        return id;
}

int thread_find_own(RootDir *root, pid_t process, pid_t own_id, Thread *ret_thread) {
        unsigned ids[THREADS_MAX];
        char path[64], text[2048];
        size_t n;
        int r;

        snprintf(path, sizeof path, "proc/%d/task", process);
        r = root_dir_numbers(root, path, "", ids, N_ELEMENTS(ids), &n);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n; i++) {
                snprintf(path, sizeof path, "proc/%d/task/%u/status", process, ids[i]);
                if (root_dir_read(root, path, text, sizeof text) == 0 && status_read_own_id(text) == own_id)
                        return error_trace(thread_find(root, process, (pid_t)ids[i], ret_thread));
        }
        return THREAD_E_GONE;
}

bool thread_wants_cpu(RootDir *root, pid_t process) {
        char path[64], text[1024], state;
        const char *rest;

        snprintf(path, sizeof path, "proc/%d/stat", process);
        if (root_dir_read(root, path, text, sizeof text) != 0)
                return false;
        rest = strrchr(text, ')');
        return rest && sscanf(rest + 1, " %c", &state) == 1 && state == 'R';
}

bool thread_is(RootDir *root, const Thread *thread) {
        Thread now;

        return thread_find(root, thread->process, thread->id, &now) == 0 && now.started == thread->started;
}
