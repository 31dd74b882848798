/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/thread-mask.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/restore.h"
#include "machine/sysfs.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

#define FIELDS_BEFORE_START 20 /* after the name, which may hold anything: proc(5), field 22 */

/* The start in the text of /proc/TID/stat; NULL if that is none. */
static const char *stat_start(const char *stat) {
        const char *field = strrchr(stat, ')');

        for (int i = 0; field && i < FIELDS_BEFORE_START; i++)
                field = strchr(field + 1, ' ');
        return field ? field + 1 : NULL;
}

int thread_mask_key(RootDir *root, pid_t tid, char *key, size_t n_key) {
        char path[32], stat[1024];
        const char *start;
        int r;

        snprintf(path, sizeof path, "proc/%d/stat", tid);
        r = root_dir_read_line(root, path, stat, sizeof stat);
        if (r < 0)
                return error_trace(r);
        start = r ? NULL : stat_start(stat);
        if (!start)
                return THREAD_MASK_E_GONE;
        snprintf(key, n_key, "%d %.*s", tid, (int)strcspn(start, " "), start);
        return 0;
}

/* The thread of @key, if it is still the same. */
static int key_thread(RootDir *root, const char *key, pid_t *ret_tid) {
        char now[64];
        pid_t tid = atoi(key);
        int r;

        r = thread_mask_key(root, tid, now, sizeof now);
        if (r < 0)
                return error_trace(r);
        if (r > 0 || strcmp(now, key) != 0)
                return RESTORE_HAND_E_GONE;
        *ret_tid = tid;
        return 0;
}

/* Errors of a system call on another thread are answers. */
static int affinity_outcome(void) {
        return errno == ESRCH ? RESTORE_HAND_E_GONE : RESTORE_HAND_E_REFUSED;
}

static int mask_read(void *context, const char *key, char *value, size_t n_value) {
        cpu_set_t set;
        pid_t tid;
        int r;

        r = key_thread(context, key, &tid);
        if (r)
                return error_trace(r);
        if (sched_getaffinity(tid, sizeof set, &set) < 0)
                return affinity_outcome();
        return cpu_list_format(&set, value, n_value) < n_value ? 0 : RESTORE_HAND_E_REFUSED;
}

/* True if a CPU of @set is switched off: the kernel leaves that out of the mask, without a word. */
static bool one_is_off(RootDir *root, const cpu_set_t *set) {
        cpu_set_t online, both;

        if (sysfs_read_set(root, "sys/devices/system/cpu/online", &online) < 0 || CPU_COUNT(&online) == 0)
                return false;
        CPU_AND(&both, set, &online);
        return !CPU_EQUAL(&both, set);
}

static int mask_write(void *context, const char *key, const char *value) {
        cpu_set_t set;
        pid_t tid;
        int r;

        r = key_thread(context, key, &tid);
        if (r)
                return error_trace(r);
        if (cpu_list_parse(value, &set) > 0)
                return RESTORE_HAND_E_REFUSED;
        if (sched_setaffinity(tid, sizeof set, &set) < 0)
                return affinity_outcome();
        return one_is_off(context, &set) ? RESTORE_HAND_E_OFF : 0;
}

void thread_mask_hand(RootDir *root, RestoreHand *ret_hand) {
        *ret_hand = (RestoreHand){ .read = mask_read, .write = mask_write, .context = root };
}
