/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/run-group.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/birth/control-group.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

#define CGROUPS         "sys/fs/cgroup"
#define SHARED_GROUP    "benchd"   /* has the groups of all daemons' runs */
#define OWN_GROUP       "launcher" /* of the daemon's own processes, beside the runners' */
#define ABSENT          "absent"
#define PRESENT         "present"
#define PATH_MAX_OWN    (RESTORE_KEY_MAX - 64)
#define END_PATIENCE_MS 5000u /* for processes that a killed daemon left */

#define ASPECT(aspect) (1u << (aspect))

/* A hierarchy, with a file that tells its mount from an empty directory. */
typedef struct Hierarchy {
        const char *path;
        const char *name; /* as /proc/self/cgroup has them */
        const char *file;
        uint32_t aspects;
        bool v2;
} Hierarchy;

/* A group that has the groups of runs. */
typedef struct Base {
        char path[PATH_MAX_OWN];
        const Hierarchy *hierarchy;
        uint32_t aspects; /* bits of RunGroupAspect */
        bool v2;
} Base;

struct RunGroups {
        RootDir *root;
        RestoreJournal *journal;
        Base bases[_RUN_GROUP_ASPECT_N]; /* the base for killing last */
        size_t n;
        bool divided;
};

/* ---- controllers of v2 */

static const struct {
        const char *name;
        RunGroupAspect aspect;
} controllers[] = {
        { "cpuset", RUN_GROUP_CPUSET },
        { "memory", RUN_GROUP_MEMORY },
        { "pids", RUN_GROUP_TASKS },
};

/* Only a group without processes can hand its controllers on to the groups below it. */
static void hand_on(RootDir *root, Base *base) {
        char text[256], word[16];

        if (control_group_read(root, base->path, "cgroup.controllers", text, sizeof text) != 0)
                return;
        for (size_t i = 0; i < N_ELEMENTS(controllers); i++) {
                snprintf(word, sizeof word, "+%s", controllers[i].name);
                if (tunable_cpufreq_list_has(text, controllers[i].name) &&
                                control_group_write(root, base->path, "cgroup.subtree_control", word) == 0)
                        base->aspects |= ASPECT(controllers[i].aspect);
        }
}

/* ---- where they can be made */

/* The group of @process, a pid or "self", in the hierarchy whose line begins with a number and @hierarchy (cgroups(7), /proc/PID/cgroup). */
static bool group_of(RootDir *root, const char *process, const char *hierarchy, char *group, size_t n_group) {
        char path[32], text[4096], key[32];
        const char *at;

        snprintf(path, sizeof path, "proc/%s/cgroup", process);
        snprintf(key, sizeof key, ":%s:", hierarchy);
        if (root_dir_read(root, path, text, sizeof text) != 0)
                return false;
        at = strstr(text, key);
        if (!at)
                return false;
        at += strlen(key);
        return (size_t)snprintf(group, n_group, "%.*s", (int)strcspn(at, "\n"), at) < n_group;
}

static bool own_group(RootDir *root, const char *hierarchy, char *group, size_t n_group) {
        return group_of(root, "self", hierarchy, group, n_group);
}

/* A machine with v1 may also have v2 without controllers, which kills better than the freezer. */
static const Hierarchy hierarchies[] = {
        { CGROUPS "/cpuset", "cpuset", "cpuset.cpus", ASPECT(RUN_GROUP_CPUSET), false },
        { CGROUPS "/memory", "memory", "memory.limit_in_bytes", ASPECT(RUN_GROUP_MEMORY), false },
        { CGROUPS "/pids", "pids", "pids.max", ASPECT(RUN_GROUP_TASKS), false },
        { CGROUPS, "", "cgroup.kill", ASPECT(RUN_GROUP_KILL), true },
        { CGROUPS "/unified", "", "cgroup.kill", ASPECT(RUN_GROUP_KILL), true },
        { CGROUPS "/freezer", "freezer", "freezer.state", ASPECT(RUN_GROUP_KILL), false },
};

static const Hierarchy divided_hierarchy = { CGROUPS, "", "cgroup.kill", ASPECT(RUN_GROUP_KILL), true };

/*
 * Gives a group of a cpuset of v1 the CPUs and the memory nodes of its parent: it starts with neither, and loses for good each CPU
 * that is switched off.
 */
static bool inherit_cpuset(RootDir *root, const char *path) {
        static const char *const names[] = { "cpuset.mems", "cpuset.cpus" };
        char mother[PATH_MAX_OWN], text[FILE_VALUE_MAX];

        snprintf(mother, sizeof mother, "%.*s", (int)(strrchr(path, '/') - path), path);
        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                if (control_group_read(root, mother, names[i], text, sizeof text) != 0 ||
                                control_group_write(root, path, names[i], text) != 0)
                        return false;
        return true;
}

/* A directory made where no such hierarchy is mounted is an ordinary one, and is removed. */
static bool base_make(RootDir *root, const Hierarchy *hierarchy, const Base *base) {
        char file[RESTORE_KEY_MAX];

        if (mkdirat(root_dir_fd(root), base->path, 0755) < 0 && errno != EEXIST)
                return false;
        snprintf(file, sizeof file, "%s/%s", base->path, hierarchy->file);
        if (faccessat(root_dir_fd(root), file, F_OK, 0) == 0)
                return true;
        (void)unlinkat(root_dir_fd(root), base->path, AT_REMOVEDIR);
        return false;
}

static bool base_find(RootDir *root, const Hierarchy *hierarchy, Base *ret_base) {
        Base base = { .hierarchy = hierarchy, .aspects = hierarchy->aspects, .v2 = hierarchy->v2 };
        char group[PATH_MAX_OWN - 64];

        if (!own_group(root, hierarchy->name, group, sizeof group))
                return false;
        snprintf(base.path, sizeof base.path, "%s%s/" SHARED_GROUP, hierarchy->path,
                        strcmp(group, "/") == 0 ? "" : group);
        if (!base_make(root, hierarchy, &base))
                return false;
        if ((base.aspects & ASPECT(RUN_GROUP_CPUSET)) && !inherit_cpuset(root, base.path))
                return false;
        if (base.v2)
                hand_on(root, &base);
        *ret_base = base;
        return true;
}

static void find_bases(RunGroups *groups) {
        uint32_t found = 0;

        for (size_t i = 0; i < N_ELEMENTS(hierarchies); i++)
                if (!(found & hierarchies[i].aspects) &&
                                base_find(groups->root, &hierarchies[i], &groups->bases[groups->n]))
                        found |= groups->bases[groups->n++].aspects;
}

int run_groups_new(RootDir *root, RestoreJournal *journal, RunGroups **ret_groups) {
        RunGroups *groups = calloc(1, sizeof *groups);

        if (!groups)
                return error_origin(-ENOMEM);
        *groups = (RunGroups){ .root = root, .journal = journal };
        if (journal)
                find_bases(groups);
        *ret_groups = groups;
        return 0;
}

void run_groups_follow_cpus(const RunGroups *groups) {
        for (size_t i = 0; i < groups->n; i++)
                if (!groups->bases[i].v2 && (groups->bases[i].aspects & ASPECT(RUN_GROUP_CPUSET)))
                        (void)inherit_cpuset(groups->root, groups->bases[i].path);
}

/* ---- a group that is delegated */

/* Moves the daemon out of the way. */
static bool step_aside(RootDir *root, const Base *base, const pid_t *own, size_t n_own) {
        char group[RESTORE_KEY_MAX];

        snprintf(group, sizeof group, "%s/" OWN_GROUP, base->path);
        if (mkdirat(root_dir_fd(root), group, 0755) < 0 && errno != EEXIST)
                return false;
        for (size_t i = 0; i < n_own; i++) {
                char pid[16];

                snprintf(pid, sizeof pid, "%d", own[i]);
                if (control_group_write(root, group, "cgroup.procs", pid) != 0)
                        return false;
        }
        return true;
}

/* Drops v2's shared group `benchd`: the group that is divided is this daemon's alone. */
void run_groups_divide(RunGroups *groups, const pid_t *own, size_t n_own) {
        Base base = { .hierarchy = &divided_hierarchy, .aspects = ASPECT(RUN_GROUP_KILL), .v2 = true };
        char group[PATH_MAX_OWN - sizeof CGROUPS], shared[RESTORE_KEY_MAX];

        if (!groups->journal || groups->n > 1 || !own_group(groups->root, "", group, sizeof group))
                return;
        snprintf(base.path, sizeof base.path, CGROUPS "%s", group);
        snprintf(shared, sizeof shared, "%s/" SHARED_GROUP, base.path);
        (void)unlinkat(root_dir_fd(groups->root), shared, AT_REMOVEDIR);
        if (!step_aside(groups->root, &base, own, n_own))
                return;
        hand_on(groups->root, &base);
        groups->bases[0] = base;
        groups->n = 1;
        groups->divided = true;
}

/*
 * Finds the group that was divided: the parent of the launcher's part, or of `.control`, where systemd runs
 * ExecStopPost=.
 */
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

/* While controllers are handed on, systemd can start nothing in that group. */
void run_groups_unite(RootDir *root) {
        char group[PATH_MAX_OWN], word[16];

        if (!divided_group(root, group, sizeof group))
                return;
        for (size_t i = 0; i < N_ELEMENTS(controllers); i++) {
                snprintf(word, sizeof word, "-%s", controllers[i].name);
                (void)control_group_write(root, group, "cgroup.subtree_control", word);
        }
}

static bool is_no_group(void *context, const RestoreEntry *entry) {
        return entry->kind != RESTORE_CGROUP;
}

/* Ends what is left in groups that were not empty when their run ended. */
static void remove_left(RunGroups *groups) {
        RestoreHands hands = {};
        const RestorePass restoring = { .journal = groups->journal,
                .hands = &hands,
                .leave = is_no_group,
                .last = true };

        run_group_hand(groups->root, &hands.hands[RESTORE_CGROUP]);
        (void)restore_pass(&restoring);
}

RunGroups *run_groups_free(RunGroups *groups) {
        if (groups && groups->n > 0)
                remove_left(groups);
        if (groups && groups->divided)
                run_groups_unite(groups->root);
        free(groups);
        return NULL;
}

/* ---- one of them */

static bool write_number(RootDir *root, const char *path, const char *name, uint64_t number) {
        char text[32];

        snprintf(text, sizeof text, "%" PRIu64, number);
        return control_group_write(root, path, name, text) == 0;
}

/* The kernel silently accepts CPUs that the group cannot have. */
static bool cpuset_holds(RootDir *root, const RunGroupPlace *place, const cpu_set_t *cpus) {
        const char *effective = place->v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus";
        char text[FILE_VALUE_MAX];
        cpu_set_t set;

        return control_group_read(root, place->path, effective, text, sizeof text) == 0 &&
               cpu_list_parse(text, &set) == 0 && CPU_EQUAL(&set, cpus);
}

/*
 * The kernel reports a new CPU before its own cpuset has it, and this process may hear of it late: a refused write is
 * tried once more.
 */
static bool write_cpus(RootDir *root, const Base *base, const RunGroupPlace *place, const char *text) {
        return control_group_write(root, place->path, "cpuset.cpus", text) == 0 ||
               (!base->v2 && inherit_cpuset(root, base->path) &&
                               control_group_write(root, place->path, "cpuset.cpus", text) == 0);
}

/* A cpuset of v1 takes no process before it has a node. */
static OpsOutcome bound_cpus(RootDir *root, const Base *base, const RunGroupPlace *place,
                const RunGroupBounds *bounds) {
        char text[FILE_VALUE_MAX];

        if (!bounds->cpus)
                return OPS_OUTCOME_OMITTED;
        if (!place->v2 && (control_group_read(root, base->path, "cpuset.mems", text, sizeof text) != 0 ||
                                          control_group_write(root, place->path, "cpuset.mems", text) != 0))
                return OPS_OUTCOME_DENIED;
        if (cpu_list_format(bounds->cpus, text, sizeof text) >= sizeof text || !write_cpus(root, base, place, text))
                return OPS_OUTCOME_DENIED;
        return cpuset_holds(root, place, bounds->cpus) ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_OVERRIDDEN;
}

/*
 * Swapped memory would be bounded only by the disk. A machine that does not count swap gives the run none. If one process of a run
 * dies of the bound, all do: in v1 the launcher kills them (run_groups_lost_one()).
 */
static OpsOutcome bound_memory(RootDir *root, const Base *base, const RunGroupPlace *place,
                const RunGroupBounds *bounds) {
        const char *path = place->path;

        if (bounds->memory_bytes == 0)
                return OPS_OUTCOME_OMITTED;
        if (!write_number(root, path, place->v2 ? "memory.max" : "memory.limit_in_bytes", bounds->memory_bytes))
                return OPS_OUTCOME_DENIED;
        if (place->v2) {
                (void)control_group_write(root, path, "memory.swap.max", "0");
                (void)control_group_write(root, path, "memory.oom.group", "1");
        } else if (!write_number(root, path, "memory.memsw.limit_in_bytes", bounds->memory_bytes)) {
                (void)control_group_write(root, path, "memory.swappiness", "0");
        }
        return OPS_OUTCOME_APPLIED;
}

static OpsOutcome bound_tasks(RootDir *root, const Base *base, const RunGroupPlace *place,
                const RunGroupBounds *bounds) {
        if (bounds->tasks == 0)
                return OPS_OUTCOME_OMITTED;
        return write_number(root, place->path, "pids.max", bounds->tasks) ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_DENIED;
}

static OpsOutcome bound_by_death(RootDir *root, const Base *base, const RunGroupPlace *place,
                const RunGroupBounds *bounds) {
        return OPS_OUTCOME_APPLIED;
}

static OpsOutcome (*const bound[_RUN_GROUP_ASPECT_N])(RootDir *root, const Base *base, const RunGroupPlace *place,
                const RunGroupBounds *bounds) = {
        [RUN_GROUP_CPUSET] = bound_cpus,
        [RUN_GROUP_MEMORY] = bound_memory,
        [RUN_GROUP_TASKS] = bound_tasks,
        [RUN_GROUP_KILL] = bound_by_death,
};

static int remove_path(RunGroups *groups, const char *path);

/*
 * True if the run is to be born in @place: the group provides at least one aspect. A group that cannot be noted in the
 * journal is not made.
 */
static bool place_make(RunGroups *groups, const Base *base, const RunGroupBounds *bounds, const RunGroupPlace *place,
                OpsOutcome outcomes[static _RUN_GROUP_ASPECT_N]) {
        const char *path = place->path;
        bool made, wanted = false;

        made = restore_journal_note(groups->journal, RESTORE_CGROUP, path, ABSENT, PRESENT) == 0 &&
               mkdirat(root_dir_fd(groups->root), path, 0755) == 0;
        for (RunGroupAspect aspect = 0; aspect < _RUN_GROUP_ASPECT_N; aspect++) {
                if (!(place->aspects & ASPECT(aspect)))
                        continue;
                outcomes[aspect] = made ? bound[aspect](groups->root, base, place, bounds) : OPS_OUTCOME_DENIED;
                wanted |= outcomes[aspect] == OPS_OUTCOME_APPLIED;
        }
        return wanted;
}

/* If a group of several aspects could not get its CPUs, it must not keep the CPUs that it happens to have. */
static void undo_cpus(const RunGroups *groups, const RunGroupPlace *place, OpsOutcome outcome) {
        if (place->v2 && outcome != OPS_OUTCOME_APPLIED && outcome != OPS_OUTCOME_OMITTED &&
                        (place->aspects & ASPECT(RUN_GROUP_CPUSET)))
                (void)control_group_write(groups->root, place->path, "cpuset.cpus", "\n");
}

int run_groups_make(RunGroups *groups, uint64_t id, const RunGroupBounds *bounds, RunGroup *ret_group) {
        RunGroup group = {};
        int r;

        for (RunGroupAspect aspect = 0; aspect < _RUN_GROUP_ASPECT_N; aspect++)
                group.outcomes[aspect] = OPS_OUTCOME_UNSUPPORTED;
        for (size_t i = 0; i < groups->n; i++) {
                const Base *base = &groups->bases[i];
                RunGroupPlace *place = &group.places[group.n];

                *place = (RunGroupPlace){ .aspects = base->aspects, .v2 = base->v2 };
                snprintf(place->path, sizeof place->path, "%s/%d-%" PRIu64, base->path, getpid(), id);
                if (base->aspects == ASPECT(RUN_GROUP_CPUSET) && !bounds->cpus) {
                        group.outcomes[RUN_GROUP_CPUSET] = OPS_OUTCOME_OMITTED;
                        continue;
                }
                if (place_make(groups, base, bounds, place, group.outcomes)) {
                        undo_cpus(groups, place, group.outcomes[RUN_GROUP_CPUSET]);
                        group.n++;
                        continue;
                }
                r = remove_path(groups, place->path);
                if (r)
                        return error_trace(r);
        }
        *ret_group = group;
        return 0;
}

void run_group_files(const RunGroup *group, char files[static ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]) {
        for (size_t i = 0; i < ZYGOTE_GROUPS_MAX; i++)
                files[i][0] = '\0';
        for (size_t i = 0; i < group->n;
                        i++) /* v1: a single thread, since moving a whole process waits for all others of the machine */
                if (snprintf(files[i], ZYGOTE_PATH_MAX, "/%s/%s", group->places[i].path,
                                    group->places[i].v2 ? "cgroup.procs" : "tasks") >= (int)ZYGOTE_PATH_MAX)
                        files[i][0] = '\0';
}

void run_group_note_joined(RunGroup *group, uint32_t joined) {
        for (size_t i = 0; i < group->n; i++)
                for (RunGroupAspect aspect = 0; aspect < _RUN_GROUP_ASPECT_N; aspect++)
                        if (!(joined & 1u << i) && (group->places[i].aspects & ASPECT(aspect)) &&
                                        group->outcomes[aspect] == OPS_OUTCOME_APPLIED)
                                group->outcomes[aspect] = OPS_OUTCOME_DENIED;
}

/* ---- its life */

static const RunGroupPlace *place_of(const RunGroup *group, RunGroupAspect aspect) {
        for (size_t i = 0; i < group->n; i++)
                if ((group->places[i].aspects & ASPECT(aspect)) && group->outcomes[aspect] == OPS_OUTCOME_APPLIED)
                        return &group->places[i];
        return NULL;
}

uint32_t run_group_number(const RunGroup *group, RunGroupAspect aspect) {
        const RunGroupPlace *place = place_of(group, aspect);

        return place ? 1u << (place - group->places) : 0;
}

/* ---- a client's process joins it */

static const Base *base_of(const RunGroups *groups, const RunGroupPlace *place) {
        for (size_t i = 0; i < groups->n; i++) {
                const size_t n = strlen(groups->bases[i].path);

                if (strncmp(place->path, groups->bases[i].path, n) == 0 && place->path[n] == '/')
                        return &groups->bases[i];
        }
        return NULL;
}

/* The group of @pid in the hierarchy of @base, as a path below the root. */
static bool path_of(RootDir *root, const Base *base, pid_t pid, char path[static RESTORE_KEY_MAX]) {
        char process[16], group[PATH_MAX_OWN];

        snprintf(process, sizeof process, "%d", pid);
        if (!group_of(root, process, base->hierarchy->name, group, sizeof group))
                return false;
        return snprintf(path, RESTORE_KEY_MAX, "%s%s", base->hierarchy->path, strcmp(group, "/") == 0 ? "" : group) <
               (int)RESTORE_KEY_MAX;
}

static bool is_below(const char *path, const char *group) {
        const size_t n = strlen(group);

        return strncmp(path, group, n) == 0 && path[n] == '/';
}

bool run_groups_have(const RunGroups *groups, pid_t pid) {
        char path[RESTORE_KEY_MAX];

        for (size_t i = 0; i < groups->n; i++)
                if (path_of(groups->root, &groups->bases[i], pid, path) && is_below(path, groups->bases[i].path))
                        return strcmp(path + strlen(groups->bases[i].path), "/" OWN_GROUP) != 0;
        return false;
}

bool run_group_kills_by_kernel(const RunGroup *group) {
        const RunGroupPlace *place = place_of(group, RUN_GROUP_KILL);

        return place && place->v2;
}

/* A group of v2 that was not delegated bounds nothing: then no process may leave one that does. */
static bool holds_bounds(const RunGroups *groups, const RunGroup *group, const RunGroupPlace *place, pid_t pid) {
        const OpsOutcome memory = group->outcomes[RUN_GROUP_MEMORY], tasks = group->outcomes[RUN_GROUP_TASKS];
        const Base *base = base_of(groups, place);
        char path[RESTORE_KEY_MAX];

        if (!place->v2 || ((memory == OPS_OUTCOME_APPLIED || memory == OPS_OUTCOME_OMITTED) &&
                                          (tasks == OPS_OUTCOME_APPLIED || tasks == OPS_OUTCOME_OMITTED)))
                return true;
        return base && path_of(groups->root, base, pid, path) && is_below(place->path, path);
}

static bool move(RootDir *root, const char *group, bool v2, pid_t pid) {
        char text[16];

        snprintf(text, sizeof text, "%d", pid);
        return control_group_write(root, group, v2 ? "cgroup.procs" : "tasks", text) == 0;
}

/* Its cpuset comes first: an affinity that the group does not have could not be set. */
OpsOutcome run_groups_adopt(const RunGroups *groups, const RunGroup *group, pid_t pid) {
        const RunGroupPlace *kills = place_of(group, RUN_GROUP_KILL);
        OpsOutcome outcome = OPS_OUTCOME_PENDING;

        for (size_t i = 0; i < group->n; i++) {
                const RunGroupPlace *place = &group->places[i];
                const bool moved = holds_bounds(groups, group, place, pid) &&
                                   move(groups->root, place->path, place->v2, pid);

                if (place == kills)
                        outcome = moved ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_DENIED;
        }
        return outcome;
}

void run_groups_evict(const RunGroups *groups, const RunGroup *group, pid_t pid) {
        char path[RESTORE_KEY_MAX + sizeof OWN_GROUP];

        for (size_t i = 0; i < group->n; i++) {
                const Base *base = base_of(groups, &group->places[i]);

                if (!base)
                        continue;
                if (groups->divided)
                        snprintf(path, sizeof path, "%s/" OWN_GROUP, base->path);
                else
                        snprintf(path, sizeof path, "%.*s", (int)(strrchr(base->path, '/') - base->path), base->path);
                (void)move(groups->root, path, base->v2, pid);
        }
}

bool run_groups_kill(const RunGroups *groups, const RunGroup *group) {
        const RunGroupPlace *place = place_of(group, RUN_GROUP_KILL);

        if (place)
                control_group_kill(groups->root, place->path);
        return place;
}

bool run_groups_are_empty(const RunGroups *groups, const RunGroup *group) {
        const RunGroupPlace *place = place_of(group, RUN_GROUP_KILL);

        return !place || control_group_is_empty(groups->root, place->path);
}

void run_groups_end(const RunGroups *groups, const RunGroup *group, unsigned patience_ms) {
        const RunGroupPlace *place = place_of(group, RUN_GROUP_KILL);

        if (place)
                (void)control_group_end(groups->root, place->path, patience_ms);
}

pid_t run_groups_first(const RunGroups *groups, const RunGroup *group) {
        const RunGroupPlace *place = place_of(group, RUN_GROUP_KILL);
        char text[32];

        if (!place || control_group_read(groups->root, place->path, "cgroup.procs", text, sizeof text) != 0)
                return 0;
        return (pid_t)strtol(text, NULL, 10);
}

/*
 * The kernel also counts deaths when the machine runs out of memory. Those are not due to the bound; v1 cannot tell
 * them apart.
 */
static bool met_memory(RootDir *root, const RunGroupPlace *place) {
        const char *events = place->v2 ? "memory.events" : "memory.oom_control";

        return control_group_count(root, place->path, events, "oom_kill") > 0 &&
               (!place->v2 || control_group_count(root, place->path, events, "oom") > 0);
}

bool run_groups_lost_one(const RunGroups *groups, const RunGroup *group) {
        const RunGroupPlace *memory = place_of(group, RUN_GROUP_MEMORY);

        return memory && !memory->v2 && met_memory(groups->root, memory);
}

/* memory.peak is there since Linux 5.19. */
uint64_t run_groups_memory_peak(const RunGroups *groups, const RunGroup *group) {
        const RunGroupPlace *place = place_of(group, RUN_GROUP_MEMORY);
        char text[32];

        if (!place || control_group_read(groups->root, place->path,
                                      place->v2 ? "memory.peak" : "memory.max_usage_in_bytes", text, sizeof text) != 0)
                return 0;
        return strtoull(text, NULL, 10);
}

uint32_t run_groups_bounds_met(const RunGroups *groups, const RunGroup *group) {
        const RunGroupPlace *memory = place_of(group, RUN_GROUP_MEMORY), *tasks = place_of(group, RUN_GROUP_TASKS);
        uint32_t met = 0;

        if (memory && met_memory(groups->root, memory))
                met |= OPS_BOUND_MEMORY;
        if (tasks && control_group_count(groups->root, tasks->path, "pids.events", "max") > 0)
                met |= OPS_BOUND_TASKS;
        return met;
}

/* ---- its end */

static int group_look(void *context, const char *key, char *value, size_t n_value) {
        RootDir *root = context;
        bool there = faccessat(root_dir_fd(root), key, F_OK, AT_SYMLINK_NOFOLLOW) == 0;

        snprintf(value, n_value, "%s", there ? PRESENT : ABSENT);
        return 0;
}

/*
 * Can only remove empty control groups: a group with processes refuses rmdir(), and so does any other directory that
 * has entries.
 */
static int group_put(void *context, const char *key, const char *value) {
        RootDir *root = context;

        if (strcmp(value, ABSENT) != 0)
                return RESTORE_HAND_E_REFUSED;
        if (unlinkat(root_dir_fd(root), key, AT_REMOVEDIR) == 0 || errno == ENOENT)
                return 0;
        return RESTORE_HAND_E_REFUSED;
}

bool run_group_is_key(const char *key) {
        return strncmp(key, CGROUPS "/", strlen(CGROUPS "/")) == 0;
}

/* Processes are killed in groups only, whatever a journal says. */
static int group_end(void *context, const char *key, const char *value) {
        if (run_group_is_key(key) && strcmp(value, ABSENT) == 0)
                (void)control_group_end(context, key, END_PATIENCE_MS);
        return group_put(context, key, value);
}

static int remove_path(RunGroups *groups, const char *path) {
        RestoreHands hands = {};
        OpsOutcome outcome;

        hands.hands[RESTORE_CGROUP] = (RestoreHand){ .read = group_look, .write = group_put, .context = groups->root };
        return error_trace(restore_one(groups->journal, &hands, RESTORE_CGROUP, path, &outcome));
}

int run_groups_remove(RunGroups *groups, RunGroup *group) {
        int first = 0;

        for (size_t i = 0; i < group->n; i++) {
                int r = remove_path(groups, group->places[i].path);

                first = first ? first : r;
        }
        group->n = 0;
        return error_trace(first);
}

/* The last place is the one for killing. */
void run_group_end_files(RootDir *root, const char files[static ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]) {
        for (size_t i = ZYGOTE_GROUPS_MAX; i > 0; i--) {
                char group[ZYGOTE_PATH_MAX];

                if (!files[i - 1][0])
                        continue;
                strcpy(group, files[i - 1] + 1);
                *strrchr(group, '/') = '\0';
                (void)control_group_end(root, group, END_PATIENCE_MS);
                (void)unlinkat(root_dir_fd(root), group, AT_REMOVEDIR);
        }
}

void run_group_hand(RootDir *root, RestoreHand *ret_hand) {
        *ret_hand = (RestoreHand){ .read = group_look, .write = group_end, .context = root };
}
