/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/cpuset.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/cpufreq.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

#define CGROUPS      "sys/fs/cgroup"
#define CGROUPS_V1   CGROUPS "/cpuset"
#define SHARED_GROUP "benchd"   /* of v1, below which those of all daemons are */
#define OWN_GROUP    "launcher" /* of the daemon's own processes, beside the runners' */
#define ABSENT       "absent"
#define PRESENT      "present"
#define PATH_MAX_OWN (RESTORE_KEY_MAX - 64)

/* The names that the two versions have for the same things. */
typedef struct Flavour {
        const char *effective;
        const char *tasks; /* in v1, that of a single thread: moving a whole process waits for all others of the machine */
        bool needs_memory; /* no process can join before it has a node */
} Flavour;

static const Flavour flavours[] = {
        [1] = { .effective = "cpuset.effective_cpus", .tasks = "tasks", .needs_memory = true },
        [2] = { .effective = "cpuset.cpus.effective", .tasks = "cgroup.procs" },
};

struct Cpusets {
        RootDir *root;
        RestoreJournal *journal;
        const Flavour *flavour;  /* NULL: none can be made */
        char base[PATH_MAX_OWN]; /* the group below which they are */
};

/* ---- files of groups */

static int group_read(RootDir *root, const char *group, const char *name, char *text, size_t n_text) {
        char path[2 * RESTORE_KEY_MAX];

        snprintf(path, sizeof path, "%s/%s", group, name);
        return error_trace(root_dir_read_line(root, path, text, n_text));
}

static int group_write(RootDir *root, const char *group, const char *name, const char *text) {
        char path[2 * RESTORE_KEY_MAX];

        snprintf(path, sizeof path, "%s/%s", group, name);
        return error_trace(root_dir_write(root, path, text));
}

/* ---- where they can be made */

/* The group of this process in the hierarchy whose line begins with a number and @controllers, as /proc/self/cgroup has it. */
static bool own_group(RootDir *root, const char *controllers, char *group, size_t n_group) {
        char text[4096], key[32];
        const char *at;

        snprintf(key, sizeof key, ":%s:", controllers);
        if (root_dir_read(root, "proc/self/cgroup", text, sizeof text) != 0)
                return false;
        at = strstr(text, key);
        if (!at)
                return false;
        at += strlen(key);
        return (size_t)snprintf(group, n_group, "%.*s", (int)strcspn(at, "\n"), at) < n_group;
}

/* Makes the group @path with what @mother has of CPUs and memory: a group of v1 begins with none. */
static bool inherit_v1(const Cpusets *cpusets, const char *mother, const char *path) {
        static const char *const names[] = { "cpuset.mems", "cpuset.cpus" };
        char text[VALUE_MAX];

        if (mkdirat(root_dir_fd(cpusets->root), path, 0755) < 0 && errno != EEXIST)
                return false;
        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                if (group_read(cpusets->root, mother, names[i], text, sizeof text) != 0 ||
                                group_write(cpusets->root, path, names[i], text) != 0)
                        return false;
        return true;
}

static void find_v1(Cpusets *cpusets) {
        char group[PATH_MAX_OWN - sizeof CGROUPS_V1 - 32], mother[PATH_MAX_OWN - 32];

        if (!own_group(cpusets->root, "cpuset", group, sizeof group))
                return;
        snprintf(mother, sizeof mother, CGROUPS_V1 "%s", strcmp(group, "/") == 0 ? "" : group);
        snprintf(cpusets->base, sizeof cpusets->base, "%s/" SHARED_GROUP, mother);
        if (inherit_v1(cpusets, mother, cpusets->base))
                cpusets->flavour = &flavours[1];
}

/* Moves the daemon out of the way, and hands the controller on. */
static bool divide_v2(Cpusets *cpusets, const pid_t *own, size_t n_own) {
        char group[RESTORE_KEY_MAX], text[16];

        snprintf(group, sizeof group, "%s/" OWN_GROUP, cpusets->base);
        if (mkdirat(root_dir_fd(cpusets->root), group, 0755) < 0 && errno != EEXIST)
                return false;
        for (size_t i = 0; i < n_own; i++) {
                snprintf(text, sizeof text, "%d", own[i]);
                if (group_write(cpusets->root, group, "cgroup.procs", text) != 0)
                        return false;
        }
        return group_write(cpusets->root, cpusets->base, "cgroup.subtree_control", "+cpuset") == 0;
}

void cpusets_divide(Cpusets *cpusets, const pid_t *own, size_t n_own) {
        char group[PATH_MAX_OWN - sizeof CGROUPS], text[256];

        if (cpusets->flavour || !cpusets->journal || !own_group(cpusets->root, "", group, sizeof group))
                return;
        snprintf(cpusets->base, sizeof cpusets->base, CGROUPS "%s", group);
        if (group_read(cpusets->root, cpusets->base, "cgroup.controllers", text, sizeof text) == 0 &&
                        cpufreq_list_has(text, "cpuset") && divide_v2(cpusets, own, n_own))
                cpusets->flavour = &flavours[2];
}

/* The group that was divided: the one above its own part, or above that from which systemd runs what follows a service's end. */
static bool divided_group(RootDir *root, char *group, size_t n_group) {
        static const char *const parts[] = { "/" OWN_GROUP, "/.control" };
        char own[PATH_MAX_OWN - sizeof CGROUPS];

        if (!own_group(root, "", own, sizeof own))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
                size_t n = strlen(own), n_part = strlen(parts[i]);

                if (n <= n_part || strcmp(own + n - n_part, parts[i]) != 0)
                        continue;
                snprintf(group, n_group, CGROUPS "%.*s", (int)(n - n_part), own);
                return true;
        }
        return false;
}

/* With it, systemd could start nothing in that group again. */
void cpusets_unite(RootDir *root) {
        char group[PATH_MAX_OWN];

        if (divided_group(root, group, sizeof group))
                (void)group_write(root, group, "cgroup.subtree_control", "-cpuset");
}

int cpusets_new(RootDir *root, RestoreJournal *journal, Cpusets **ret_cpusets) {
        Cpusets *cpusets = calloc(1, sizeof *cpusets);

        if (!cpusets)
                return error_origin(-ENOMEM);
        *cpusets = (Cpusets){ .root = root, .journal = journal };
        if (journal)
                find_v1(cpusets);
        *ret_cpusets = cpusets;
        return 0;
}

static bool is_no_group(void *context, const RestoreEntry *entry) {
        return entry->kind != RESTORE_CGROUP;
}

/* Removes groups that were not empty when their runner ended, since somebody kept a dead process from being reaped. */
static void remove_left(Cpusets *cpusets) {
        RestoreHands hands = {};
        const Restoring restoring = { .journal = cpusets->journal,
                .hands = &hands,
                .leave = is_no_group,
                .last = true };

        cpuset_hand(cpusets->root, &hands.hands[RESTORE_CGROUP]);
        (void)restore_pass(&restoring);
}

Cpusets *cpusets_free(Cpusets *cpusets) {
        if (cpusets && cpusets->flavour)
                remove_left(cpusets);
        if (cpusets && cpusets->flavour == &flavours[2])
                cpusets_unite(cpusets->root);
        free(cpusets);
        return NULL;
}

/* ---- one of them */

static bool cpuset_fill(const Cpusets *cpusets, const Cpuset *cpuset, const cpu_set_t *cpus) {
        char text[VALUE_MAX];

        if (cpusets->flavour->needs_memory &&
                        (group_read(cpusets->root, cpusets->base, "cpuset.mems", text, sizeof text) != 0 ||
                                        group_write(cpusets->root, cpuset->path, "cpuset.mems", text) != 0))
                return false;
        if (cpu_list_format(cpus, text, sizeof text) >= sizeof text)
                return false;
        return group_write(cpusets->root, cpuset->path, "cpuset.cpus", text) == 0;
}

/* The kernel takes CPUs that the group does not have either, without a word. */
static bool cpuset_holds(const Cpusets *cpusets, const Cpuset *cpuset, const cpu_set_t *cpus) {
        char text[VALUE_MAX];
        cpu_set_t set;

        return group_read(cpusets->root, cpuset->path, cpusets->flavour->effective, text, sizeof text) == 0 &&
               cpu_list_parse(text, &set) == 0 && CPU_EQUAL(&set, cpus);
}

static OpsOutcome cpuset_build(const Cpusets *cpusets, const Cpuset *cpuset, const cpu_set_t *cpus) {
        if (mkdirat(root_dir_fd(cpusets->root), cpuset->path, 0755) < 0 || !cpuset_fill(cpusets, cpuset, cpus))
                return OPS_OUTCOME_DENIED;
        return cpuset_holds(cpusets, cpuset, cpus) ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_OVERRIDDEN;
}

/* A group that cannot be noted is not made. */
int cpusets_make(Cpusets *cpusets, uint64_t id, const cpu_set_t *cpus, Cpuset *ret_cpuset) {
        Cpuset cpuset = { .outcome = OPS_OUTCOME_UNSUPPORTED };
        int r;

        if (!cpusets->flavour) {
                *ret_cpuset = cpuset;
                return 0;
        }
        cpuset.tasks = cpusets->flavour->tasks;
        snprintf(cpuset.path, sizeof cpuset.path, "%s/%d-%" PRIu64, cpusets->base, getpid(), id);
        if (restore_journal_note(cpusets->journal, RESTORE_CGROUP, cpuset.path, ABSENT, PRESENT) < 0) {
                *ret_cpuset = (Cpuset){ .outcome = OPS_OUTCOME_DENIED };
                return 0;
        }
        cpuset.outcome = cpuset_build(cpusets, &cpuset, cpus);
        if (cpuset.outcome != OPS_OUTCOME_APPLIED) {
                r = cpusets_remove(cpusets, &cpuset);
                if (r)
                        return error_trace(r);
        }
        *ret_cpuset = cpuset;
        return 0;
}

static int remove_group(Cpusets *cpusets, const char *path) {
        RestoreHands hands = {};
        OpsOutcome outcome;

        cpuset_hand(cpusets->root, &hands.hands[RESTORE_CGROUP]);
        return error_trace(restore_one(cpusets->journal, &hands, RESTORE_CGROUP, path, &outcome));
}

int cpusets_remove(Cpusets *cpusets, Cpuset *cpuset) {
        int r = 0;

        if (cpuset->path[0])
                r = remove_group(cpusets, cpuset->path);
        cpuset->path[0] = 0;
        return error_trace(r);
}

void cpuset_tasks(const Cpuset *cpuset, char *path, size_t n_path) {
        path[0] = 0;
        if (cpuset->path[0])
                snprintf(path, n_path, "/%s/%s", cpuset->path, cpuset->tasks);
}

/* ---- the journal's hand */

static int group_look(void *context, const char *key, char *value, size_t n_value) {
        RootDir *root = context;
        bool there = faccessat(root_dir_fd(root), key, F_OK, AT_SYMLINK_NOFOLLOW) == 0;

        snprintf(value, n_value, "%s", there ? PRESENT : ABSENT);
        return 0;
}

/* Only ever removes: a group with processes in it refuses, and nothing else is a directory without entries. */
static int group_put(void *context, const char *key, const char *value) {
        RootDir *root = context;

        if (strcmp(value, ABSENT) != 0)
                return RESTORE_HAND_E_REFUSED;
        if (unlinkat(root_dir_fd(root), key, AT_REMOVEDIR) == 0 || errno == ENOENT)
                return 0;
        return RESTORE_HAND_E_REFUSED;
}

void cpuset_hand(RootDir *root, RestoreHand *ret_hand) {
        *ret_hand = (RestoreHand){ .read = group_look, .write = group_put, .context = root };
}
