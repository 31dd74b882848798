/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/error.h"
#include "util/root-dir.h"

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

bool thread_is(RootDir *root, const Thread *thread) {
        Thread now;

        return thread_find(root, thread->process, thread->id, &now) == 0 && now.started == thread->started;
}
