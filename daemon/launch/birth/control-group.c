/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/control-group.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

#define PIDS_TEXT_MAX  65536u /* of a list of processes; the rest is killed in the next turn */
#define FREEZE_TRIES   50u
#define FREEZE_WAIT_NS 100000

/* ---- files */

int control_group_read(RootDir *root, const char *group, const char *name, char *text, size_t n_text) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", group, name);
        return error_trace(root_dir_read_line(root, path, text, n_text));
}

int control_group_write(RootDir *root, const char *group, const char *name, const char *text) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", group, name);
        return error_trace(root_dir_write(root, path, text));
}

unsigned long long control_group_count(RootDir *root, const char *group, const char *name, const char *key) {
        char path[PATH_MAX], text[1024], start[64];
        const char *at = text;

        snprintf(path, sizeof path, "%s/%s", group, name);
        snprintf(start, sizeof start, "%s ", key);
        if (root_dir_read(root, path, text, sizeof text) != 0)
                return 0;
        while (at && strncmp(at, start, strlen(start)) != 0) {
                at = strchr(at, '\n');
                at = at ? at + 1 : NULL;
        }
        return at ? strtoull(at + strlen(start), NULL, 10) : 0;
}

static bool has_file(RootDir *root, const char *group, const char *name) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", group, name);
        return faccessat(root_dir_fd(root), path, F_OK, 0) == 0;
}

/* ---- the processes in it */

bool control_group_is_empty(RootDir *root, const char *group) {
        char text[32];

        if (has_file(root, group, "cgroup.events"))
                return control_group_count(root, group, "cgroup.events", "populated") == 0;
        return control_group_read(root, group, "cgroup.procs", text, sizeof text) != 0 || text[0] == '\0';
}

/* A number that was cut off at the end of the text is not a pid. */
static void signal_each(RootDir *root, const char *group) {
        char path[PATH_MAX], text[PIDS_TEXT_MAX], *at = text, *end;

        snprintf(path, sizeof path, "%s/cgroup.procs", group);
        if (root_dir_read(root, path, text, sizeof text) != 0)
                return;
        for (;; at = end + 1) {
                long pid = strtol(at, &end, 10);

                if (end == at || *end != '\n')
                        return;
                if (pid > 1 && pid != getpid())
                        (void)kill(pid, SIGKILL);
        }
}

static bool is_frozen(RootDir *root, const char *group) {
        char state[16];

        return control_group_read(root, group, "freezer.state", state, sizeof state) == 0 &&
               strcmp(state, "FROZEN") == 0;
}

/* A process that is blocked in the kernel is not frozen in time: it gets its signal all the same. */
static void kill_frozen(RootDir *root, const char *group) {
        const struct timespec pause = { .tv_nsec = FREEZE_WAIT_NS };

        if (control_group_write(root, group, "freezer.state", "FROZEN") == 0)
                for (unsigned i = 0; i < FREEZE_TRIES && !is_frozen(root, group); i++)
                        nanosleep(&pause, NULL);
        signal_each(root, group);
        (void)control_group_write(root, group, "freezer.state", "THAWED");
}

void control_group_kill(RootDir *root, const char *group) {
        if (control_group_write(root, group, "cgroup.kill", "1") == 0)
                return;
        if (has_file(root, group, "freezer.state"))
                kill_frozen(root, group);
        else
                signal_each(root, group);
}

bool control_group_end(RootDir *root, const char *group, unsigned patience_ms) {
        const struct timespec millisecond = { .tv_nsec = NS_PER_MS };

        for (unsigned ms = 0; !control_group_is_empty(root, group); ms++) {
                if (ms >= patience_ms)
                        return false;
                control_group_kill(root, group);
                nanosleep(&millisecond, NULL);
        }
        return true;
}
