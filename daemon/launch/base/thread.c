/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/base/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

#define THREADS_MAX 4096u /* of a process, as far as they are listed */

/*
 * Field 22 of proc(5)'s stat, the 20th after the name, which is in parentheses and may hold any character. False if it
 * is missing.
 */
static bool stat_read_start(const char *text, uint64_t *ret_started) {
        const char *rest = strrchr(text, ')');

        return rest && sscanf(rest + 1,
                                       " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                       "%" SCNu64,
                                       ret_started) == 1;
}

/*
 * Reads the stat of the first thread alone: the stat of the process adds up all threads, and a process can have any
 * number.
 */
static int read_stat(RootDir *root, pid_t process, char *text, size_t n_text) {
        char path[64];

        snprintf(path, sizeof path, "proc/%d/task/%d/stat", process, process);
        return root_dir_read(root, path, text, n_text);
}

int thread_read_start(RootDir *root, pid_t process, uint64_t *ret_started) {
        char text[1024];
        int r;

        r = read_stat(root, process, text, sizeof text);
        if (r == ROOT_DIR_E_MISSING || r == -ESRCH)
                return THREAD_E_GONE;
        if (r)
                return error_fold(r);
        return stat_read_start(text, ret_started) ? 0 : error_origin(-EBADMSG);
}

/* The last number of NSpid in proc_pid_status(5), which is the innermost namespace's; -1 if it is missing. */
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
        for (size_t i = n; i > 0 && i + THREAD_LOOKS_MAX > n; i--) {
                snprintf(path, sizeof path, "proc/%d/task/%u/status", process, ids[i - 1]);
                if (root_dir_read(root, path, text, sizeof text) == 0 && status_read_own_id(text) == own_id) {
                        *ret_thread = (Thread){ .process = process, .id = (pid_t)ids[i - 1] };
                        return 0;
                }
        }
        return THREAD_E_GONE;
}

bool thread_wants_cpu(RootDir *root, pid_t process) {
        char text[1024], state;
        const char *rest;

        if (read_stat(root, process, text, sizeof text) != 0)
                return false;
        rest = strrchr(text, ')');
        return rest && sscanf(rest + 1, " %c", &state) == 1 && state == 'R';
}

/* EPERM means that the thread exists but belongs to a user that this process may not signal. */
bool thread_is_there(const Thread *thread) {
        return tgkill(thread->process, thread->id, 0) == 0 || errno == EPERM;
}
