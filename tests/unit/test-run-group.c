/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A run's control group holds all that the run becomes, and ends it. On the running machine, where it lets us make groups. Each
 * process that the test forks has the lifeline's other end only, so it ends with the test, also where that fails or is killed.
 */

#include "launch/birth/run-group.h"

#include "launch/birth/control-group.h"
#include "machine.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "mortal.h"
#include "util/cpu-list.h"

#define PATIENCE_MS 10000u
#define CHILDREN    20
#define MIB         (1u << 20)

DEFINE_CLEANUP(RunGroups *, run_groups_free)

static int lifeline[2];

/* ---- in the group */

static void join(const RunGroup *group) {
        char files[ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX];

        run_group_files(group, files);
        for (size_t i = 0; i < group->n; i++) {
                FILE *file = fopen(files[i], "w");

                if (!file || fputs("0", file) < 0 || fclose(file) != 0)
                        _exit(100);
        }
}

/* The exit status of @function in a process of @group. */
static int exit_of(const RunGroup *group, int (*function)(const void *argument), const void *argument) {
        pid_t pid = fork_mortal();
        int status;

        if (pid == 0) {
                join(group);
                _exit(function(argument));
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int get_to(const void *cpus) {
        return sched_setaffinity(0, sizeof(cpu_set_t), cpus) == 0;
}

/* Returns how many could be forked; they stay. */
static int fork_many(const void *argument) {
        for (int i = 0; i < CHILDREN; i++) {
                pid_t pid = fork();

                if (pid < 0)
                        return i;
                if (pid == 0) {
                        setsid();
                        close(lifeline[1]);
                        (void)!read(lifeline[0], &(char){ 0 }, 1);
                        _exit(0);
                }
        }
        return CHILDREN;
}

static int eat(const void *argument) {
        char *bytes = mmap(NULL, 256 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        for (size_t i = 0; i < 256 * MIB; i += 4096)
                bytes[i] = 1;
        return 0;
}

/* ---- around it */

typedef struct Place {
        Machine *machine;
        RootDir *root;
        RestoreJournal *journal;
        RunGroups *groups;
        RunGroup group;
} Place;

static void place_clear(Place *place) {
        run_groups_free(place->groups);
        restore_journal_close(place->journal);
        root_dir_free(place->root);
        machine_free(place->machine);
}

static void place_make(Place *place, const RunGroupBounds *bounds) {
        *place = (Place){ .machine = machine_new() };
        assert_int_equal(root_dir_new("/", &place->root), 0);
        assert_int_equal(restore_journal_open(place->machine->root, "journal", &place->journal), 0);
        assert_int_equal(run_groups_new(place->root, place->journal, &place->groups), 0);
        assert_int_equal(run_groups_make(place->groups, 1, bounds, &place->group), 0);
        assert_int_equal(restore_journal_count(place->journal), place->group.n);
}

/* Skips a test whose group lacks @aspect. cmocka jumps past what _cleanup_ would clear. */
static void need(Place *place, RunGroupAspect aspect) {
        if (place->group.outcomes[aspect] == OPS_OUTCOME_APPLIED)
                return;
        place_clear(place);
        skip();
}

static void assert_all_gone(Place *place) {
        run_groups_end(place->groups, &place->group, PATIENCE_MS);
        assert_true(run_groups_are_empty(place->groups, &place->group));
        assert_int_equal(run_groups_remove(place->groups, &place->group), 0);
        assert_int_equal(restore_journal_count(place->journal), 0);
}

static bool split(cpu_set_t *one, cpu_set_t *other) {
        cpu_set_t all;

        CPU_ZERO(one);
        CPU_ZERO(other);
        assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &all))
                        CPU_SET(cpu, CPU_COUNT(other) == 0 ? other : one);
        return CPU_COUNT(one) > 0;
}

TEST(who_is_in_one_cannot_leave_its_cpus_and_it_is_gone_after_him) {
        _cleanup_(place_clear) Place place = {};
        cpu_set_t one, other;
        char path[RESTORE_KEY_MAX];

        if (!split(&one, &other))
                skip();
        place_make(&place, &(RunGroupBounds){ .cpus = &one });
        need(&place, RUN_GROUP_CPUSET);
        strcpy(path, place.group.places[0].path);
        assert_int_equal(exit_of(&place.group, get_to, &other), 0);
        assert_all_gone(&place);
        assert_int_not_equal(faccessat(root_dir_fd(place.root), path, F_OK, 0), 0);
}

TEST(all_that_a_run_became_is_killed_at_once) {
        _cleanup_(place_clear) Place place = {};

        place_make(&place, &(RunGroupBounds){});
        need(&place, RUN_GROUP_KILL);
        assert_int_equal(exit_of(&place.group, fork_many, NULL), CHILDREN);
        assert_false(run_groups_are_empty(place.groups, &place.group));
        assert_true(run_groups_first(place.groups, &place.group) > 1);
        assert_true(run_groups_kill(place.groups, &place.group));
        assert_all_gone(&place);
}

TEST(a_run_has_no_more_processes_than_it_may) {
        _cleanup_(place_clear) Place place = {};

        place_make(&place, &(RunGroupBounds){ .tasks = 10 });
        need(&place, RUN_GROUP_TASKS);
        assert_int_equal(run_groups_bounds_met(place.groups, &place.group), 0);
        assert_int_equal(exit_of(&place.group, fork_many, NULL), 9);
        assert_int_equal(run_groups_bounds_met(place.groups, &place.group), OPS_BOUND_TASKS);
        assert_all_gone(&place);
}

TEST(a_run_has_no_more_memory_than_it_may) {
        _cleanup_(place_clear) Place place = {};

        place_make(&place, &(RunGroupBounds){ .memory_bytes = 64 * MIB });
        need(&place, RUN_GROUP_MEMORY);
        assert_int_equal(run_groups_bounds_met(place.groups, &place.group), 0);
        assert_int_equal(exit_of(&place.group, eat, NULL), -SIGKILL);
        assert_int_equal(run_groups_bounds_met(place.groups, &place.group), OPS_BOUND_MEMORY);
        assert_in_range(run_groups_memory_peak(place.groups, &place.group), 56 * MIB, 64 * MIB);
        assert_all_gone(&place);
}

TEST(a_group_that_was_not_joined_has_no_aspect) {
        RunGroup group = { .n = 2,
                .places = { { .aspects = 1 << RUN_GROUP_TASKS }, { .aspects = 1 << RUN_GROUP_KILL } },
                .outcomes = { [RUN_GROUP_TASKS] = OPS_OUTCOME_APPLIED, [RUN_GROUP_KILL] = OPS_OUTCOME_APPLIED } };

        run_group_note_joined(&group, 1u << 1);
        assert_int_equal(group.outcomes[RUN_GROUP_TASKS], OPS_OUTCOME_DENIED);
        assert_int_equal(group.outcomes[RUN_GROUP_KILL], OPS_OUTCOME_APPLIED);
}

/* v1 without v2 beside it. */
TEST(the_freezer_kills_too) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        char path[128], absolute[130], frozen[16];
        RunGroup group = { .n = 1 };

        snprintf(path, sizeof path, "sys/fs/cgroup/freezer/benchd-test-%d", getpid());
        snprintf(absolute, sizeof absolute, "/%s", path);
        if (mkdir(absolute, 0755) < 0)
                skip();
        assert_int_equal(root_dir_new("/", &root), 0);
        if (control_group_read(root, path, "freezer.state", frozen, sizeof frozen) != 0) {
                assert_int_equal(rmdir(absolute), 0); /* an ordinary directory, as a chroot has */
                root_dir_free(root);
                skip();
        }
        strcpy(group.places[0].path, path);
        assert_int_equal(exit_of(&group, fork_many, NULL), CHILDREN);
        assert_false(control_group_is_empty(root, path));
        assert_true(control_group_end(root, path, PATIENCE_MS));
        assert_int_equal(rmdir(absolute), 0);
}

TEST(what_a_killed_daemon_left_is_killed_and_removed) {
        _cleanup_(place_clear) Place place = {};
        RestoreHands hands = {};

        place_make(&place, &(RunGroupBounds){ .tasks = 2 * CHILDREN });
        need(&place, RUN_GROUP_KILL);
        assert_int_equal(exit_of(&place.group, fork_many, NULL), CHILDREN);
        run_group_hand(place.root, &hands.hands[RESTORE_CGROUP]);
        assert_int_equal(restore_all(place.journal, &hands, NULL, NULL), 0);
        assert_int_equal(restore_journal_count(place.journal), 0);
        assert_true(run_groups_are_empty(place.groups, &place.group));
}

/* A machine of v1 has a tmpfs where v2 has its groups. */
TEST(a_directory_that_is_no_hierarchy_stays_as_it_was) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        static const char *const ordinary[] = { "sys/fs/cgroup/benchd", "sys/fs/cgroup/cpuset/benchd",
                "sys/fs/cgroup/memory/benchd", "sys/fs/cgroup/pids/benchd", "sys/fs/cgroup/freezer/benchd" };
        RunGroup group;

        machine_put(machine, "proc/self/cgroup", "4:freezer:/\n3:pids:/\n2:memory:/\n1:cpuset:/\n0::/");
        for (size_t i = 0; i < N_ELEMENTS(ordinary); i++) {
                char path[128];

                snprintf(path, sizeof path, "%.*s/tasks", (int)(strrchr(ordinary[i], '/') - ordinary[i]), ordinary[i]);
                machine_put(machine, path, "");
        }
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        for (int n = 0; n < 2; n++) {
                _cleanup_(run_groups_freep) RunGroups *groups = NULL;

                assert_int_equal(run_groups_new(machine->root, journal, &groups), 0);
                assert_int_equal(run_groups_make(groups, 1, &(RunGroupBounds){ .tasks = 1 }, &group), 0);
                assert_int_equal(group.n, 0);
                for (size_t i = 0; i < N_ELEMENTS(ordinary); i++)
                        assert_int_not_equal(faccessat(root_dir_fd(machine->root), ordinary[i], F_OK, 0), 0);
                assert_int_equal(mkdirat(root_dir_fd(machine->root), ordinary[0], 0755),
                                0); /* an earlier daemon left it */
        }
}

/* ---- CPUs that come and go, in v1 */

TEST(the_group_of_all_daemons_gets_the_cpus_that_its_mother_has_by_now) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        _cleanup_(run_groups_freep) RunGroups *groups = NULL;

        machine_put(machine, "proc/self/cgroup", "1:cpuset:/a");
        machine_put(machine, "sys/fs/cgroup/cpuset/a/cpuset.mems", "0");
        machine_put(machine, "sys/fs/cgroup/cpuset/a/cpuset.cpus", "0-2");
        machine_put(machine, "sys/fs/cgroup/cpuset/a/benchd/cpuset.mems", "");
        machine_put(machine, "sys/fs/cgroup/cpuset/a/benchd/cpuset.cpus", "");
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(run_groups_new(machine->root, journal, &groups), 0);
        assert_string_equal(machine_get(machine, "sys/fs/cgroup/cpuset/a/benchd/cpuset.cpus"), "0-2");
        machine_put(machine, "sys/fs/cgroup/cpuset/a/cpuset.cpus", "0-3");
        run_groups_follow_cpus(groups);
        assert_string_equal(machine_get(machine, "sys/fs/cgroup/cpuset/a/benchd/cpuset.cpus"), "0-3");
        assert_string_equal(machine_get(machine, "sys/fs/cgroup/cpuset/a/benchd/cpuset.mems"), "0");
}

/* A group of v1 with all CPUs of the machine, for this process and what it makes. */
static bool enter_cpuset(RootDir *root, const char *path) {
        static const char *const names[] = { "cpuset.mems", "cpuset.cpus" };
        char text[FILE_VALUE_MAX];

        if (mkdirat(root_dir_fd(root), path, 0755) < 0)
                return false;
        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                if (control_group_read(root, "sys/fs/cgroup/cpuset", names[i], text, sizeof text) != 0 ||
                                control_group_write(root, path, names[i], text) != 0)
                        return false;
        return control_group_write(root, path, "cgroup.procs", "0") == 0;
}

static void leave_cpuset(RootDir *root, const char *path) {
        char shared[128];

        (void)control_group_write(root, "sys/fs/cgroup/cpuset", "cgroup.procs", "0");
        snprintf(shared, sizeof shared, "%s/benchd", path);
        (void)unlinkat(root_dir_fd(root), shared, AT_REMOVEDIR);
        (void)unlinkat(root_dir_fd(root), path, AT_REMOVEDIR);
}

/* As if it were switched off and on: the kernel takes it out of all groups but the root's, and puts it back into none. */
TEST(a_cpu_that_the_group_of_all_daemons_lost_can_be_had_again) {
        _cleanup_(place_clear) Place place = {};
        RunGroupBounds bounds = {};
        cpu_set_t one, other;
        char path[64], shared[128], text[FILE_VALUE_MAX];

        if (!split(&one, &other))
                skip();
        place_make(&place, &bounds);
        snprintf(path, sizeof path, "sys/fs/cgroup/cpuset/benchd-test-%d", getpid());
        snprintf(shared, sizeof shared, "%s/benchd", path);
        if (!enter_cpuset(place.root, path)) {
                leave_cpuset(place.root, path);
                place_clear(&place);
                skip();
        }
        assert_all_gone(&place);
        place_clear(&place);
        bounds.cpus = &one;
        place_make(&place, &bounds);
        assert_int_equal(place.group.outcomes[RUN_GROUP_CPUSET], OPS_OUTCOME_APPLIED);
        assert_all_gone(&place);

        assert_true(cpu_list_format(&other, text, sizeof text) < sizeof text);
        assert_int_equal(control_group_write(place.root, shared, "cpuset.cpus", text), 0);
        assert_int_equal(run_groups_make(place.groups, 2, &bounds, &place.group), 0);
        assert_int_equal(place.group.outcomes[RUN_GROUP_CPUSET], OPS_OUTCOME_APPLIED);
        assert_all_gone(&place);
        leave_cpuset(place.root, path);
}

TEST(one_that_is_left_is_removed_by_the_journal_once_it_is_empty) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        RestoreHands hands = {};

        machine_put(machine, "sys/fs/cgroup/group/10-2/cgroup.procs", "1");
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_CGROUP, "sys/fs/cgroup/group/10-2", "absent", "present"),
                        0);
        run_group_hand(machine->root, &hands.hands[RESTORE_CGROUP]);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_int_equal(restore_journal_count(journal), 1);
        assert_int_equal(unlinkat(root_dir_fd(machine->root), "sys/fs/cgroup/group/10-2/cgroup.procs", 0), 0);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_int_equal(restore_journal_count(journal), 0);
        assert_int_not_equal(faccessat(root_dir_fd(machine->root), "sys/fs/cgroup/group/10-2", F_OK, 0), 0);
}

/* ---- a client's process, in v2 without controllers: nothing is bounded there */

typedef struct Laid {
        Machine *machine;
        RestoreJournal *journal;
        RunGroups *groups;
        RunGroup group;
} Laid;

static void laid_clear(Laid *laid) {
        restore_journal_close(laid->journal);
        free(laid->groups); /* its groups are files here */
        machine_free(laid->machine);
}

/* Pid 7 is in @group. */
static void laid_make(Laid *laid, const char *group) {
        char path[RESTORE_KEY_MAX + 16];

        *laid = (Laid){ .machine = machine_new() };
        machine_put(laid->machine, "proc/self/cgroup", "0::/user/daemon");
        machine_put(laid->machine, "proc/7/cgroup", group);
        machine_put(laid->machine, "sys/fs/cgroup/user/daemon/cgroup.procs", "");
        machine_put(laid->machine, "sys/fs/cgroup/user/daemon/benchd/cgroup.kill", "");
        assert_int_equal(restore_journal_open(laid->machine->root, "journal", &laid->journal), 0);
        assert_int_equal(run_groups_new(laid->machine->root, laid->journal, &laid->groups), 0);
        assert_int_equal(run_groups_make(laid->groups, 1, &(RunGroupBounds){ .memory_bytes = 1 }, &laid->group), 0);
        assert_int_equal(laid->group.n, 1);
        snprintf(path, sizeof path, "%s/cgroup.procs", laid->group.places[0].path);
        machine_put(laid->machine, path, "");
}

static const char *laid_members(const Laid *laid) {
        char path[RESTORE_KEY_MAX + 16];

        snprintf(path, sizeof path, "%s/cgroup.procs", laid->group.places[0].path);
        return machine_get(laid->machine, path);
}

TEST(a_process_does_not_leave_bounds_for_none) {
        static const struct {
                const char *group;
                OpsOutcome outcome;
        } rows[] = {
                { "0::/user/other", OPS_OUTCOME_DENIED },
                { "0::/user/daemon2", OPS_OUTCOME_DENIED },
                { "0::/user/daemon", OPS_OUTCOME_APPLIED }, /* the run's group is below it, and so are its bounds */
                { "0::/user", OPS_OUTCOME_APPLIED },
                { "0::/", OPS_OUTCOME_APPLIED },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(laid_clear) Laid laid = {};

                laid_make(&laid, rows[i].group);
                assert_int_equal(run_groups_adopt(laid.groups, &laid.group, 7), rows[i].outcome);
                assert_string_equal(laid_members(&laid), rows[i].outcome == OPS_OUTCOME_APPLIED ? "7" : "");
        }
}

TEST(a_process_leaves_its_bounds_for_those_of_the_run) {
        _cleanup_(laid_clear) Laid laid = {};

        laid_make(&laid, "0::/user/other");
        laid.group.outcomes[RUN_GROUP_MEMORY] = OPS_OUTCOME_APPLIED;
        assert_int_equal(run_groups_adopt(laid.groups, &laid.group, 7), OPS_OUTCOME_DENIED);
        laid.group.outcomes[RUN_GROUP_TASKS] = OPS_OUTCOME_APPLIED;
        assert_int_equal(run_groups_adopt(laid.groups, &laid.group, 7), OPS_OUTCOME_APPLIED);
        assert_string_equal(laid_members(&laid), "7");
}

TEST(the_most_memory_is_what_the_kernel_says_of_a_group_that_bounds_it) {
        _cleanup_(laid_clear) Laid laid = {};
        char path[RESTORE_KEY_MAX + 16];

        laid_make(&laid, "0::/");
        snprintf(path, sizeof path, "%s/memory.peak", laid.group.places[0].path);
        machine_put(laid.machine, path, "12345678901");
        assert_int_equal(run_groups_memory_peak(laid.groups, &laid.group), 0); /* not bounded, so not counted */
        laid.group.outcomes[RUN_GROUP_MEMORY] = OPS_OUTCOME_APPLIED;
        laid.group.places[0].aspects |= 1u << RUN_GROUP_MEMORY;
        assert_int_equal(run_groups_memory_peak(laid.groups, &laid.group), 12345678901u);
}

TEST(a_process_of_a_run_is_known) {
        static const struct {
                const char *group;
                bool had;
        } rows[] = {
                { "0::/user/daemon/benchd/12-3", true },
                { "0::/user/daemon/benchd/12-3/deeper", true },
                { "0::/user/daemon/benchd/launcher", false }, /* the daemon's own */
                { "0::/user/daemon/benchd", false },
                { "0::/user/daemon/benchd2/12-3", false },
                { "0::/user/other/benchd/12-3", false },
                { "1:memory:/user/daemon/benchd/12-3", false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(laid_clear) Laid laid = {};

                laid_make(&laid, rows[i].group);
                assert_int_equal(run_groups_have(laid.groups, 7), rows[i].had);
        }
}

TEST(one_that_was_moved_by_mistake_comes_to_the_daemon) {
        _cleanup_(laid_clear) Laid laid = {};

        laid_make(&laid, "0::/user/daemon/benchd/12-3");
        run_groups_evict(laid.groups, &laid.group, 7);
        assert_string_equal(machine_get(laid.machine, "sys/fs/cgroup/user/daemon/cgroup.procs"), "7");
        assert_string_equal(laid_members(&laid), "");
}

TEST(without_a_journal_there_are_none) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(run_groups_freep) RunGroups *groups = NULL;
        RunGroup group;

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(run_groups_new(root, NULL, &groups), 0);
        assert_int_equal(run_groups_make(groups, 1, &(RunGroupBounds){ .tasks = 1 }, &group), 0);
        for (RunGroupAspect aspect = 0; aspect < _RUN_GROUP_ASPECT_N; aspect++)
                assert_int_equal(group.outcomes[aspect], OPS_OUTCOME_UNSUPPORTED);
        assert_false(run_groups_kill(groups, &group));
        assert_true(run_groups_are_empty(groups, &group));
        assert_int_equal(run_groups_remove(groups, &group), 0);
}

static int make_lifeline(void **state) {
        return pipe2(lifeline, O_CLOEXEC);
}

TEST_FILE(make_lifeline, NULL)
