/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cpuset holds a process, whatever it asks for. On the running machine, where it has cpusets that we may make. */

#include "launch/cpuset.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "machine.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(Cpusets *, cpusets_free)
DEFINE_CLEANUP(RestoreJournal *, restore_journal_close)
DEFINE_CLEANUP(RootDir *, root_dir_free)

/* Joins by @tasks, then tries to get to @other. Exits with 0 if that is refused. */
static void __attribute__((noreturn)) be_hostile(const char *tasks, const cpu_set_t *other) {
        FILE *file = fopen(tasks, "w");

        if (!file || fputs("0", file) < 0 || fclose(file) != 0)
                _exit(1);
        _exit(sched_setaffinity(0, sizeof *other, other) == 0 ? 2 : 0);
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

static void who_is_in_one_cannot_leave_its_cpus_and_it_is_gone_after_him(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        _cleanup_(cpusets_freep) Cpusets *cpusets = NULL;
        char tasks[RESTORE_KEY_MAX + 16];
        cpu_set_t one, other;
        Cpuset cpuset;
        int status;
        pid_t pid;

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(cpusets_new(root, journal, &cpusets), 0);
        if (!split(&one, &other))
                skip();
        assert_int_equal(cpusets_make(cpusets, 1, &one, &cpuset), 0);
        if (cpuset.outcome == OPS_OUTCOME_UNSUPPORTED) {
                assert_int_equal(restore_journal_count(journal), 0);
                skip();
        }
        assert_int_equal(cpuset.outcome, OPS_OUTCOME_APPLIED);
        assert_int_equal(restore_journal_count(journal), 1);
        cpuset_tasks(&cpuset, tasks, sizeof tasks);
        pid = fork();
        if (pid == 0)
                be_hostile(tasks, &other);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_int_equal(cpusets_remove(cpusets, &cpuset), 0);
        assert_int_equal(restore_journal_count(journal), 0);
        assert_int_not_equal(access(tasks, F_OK), 0);
}

static void one_that_is_left_is_removed_by_the_journal_once_it_is_empty(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        RestoreHands hands = {};

        machine_put(machine, "group/runner/cgroup.procs", "1");
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_CGROUP, "group/runner", "absent", "present"), 0);
        cpuset_hand(machine->root, &hands.hands[RESTORE_CGROUP]);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_int_equal(restore_journal_count(journal), 1);
        assert_int_equal(unlinkat(root_dir_fd(machine->root), "group/runner/cgroup.procs", 0), 0);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_int_equal(restore_journal_count(journal), 0);
        assert_int_not_equal(faccessat(root_dir_fd(machine->root), "group/runner", F_OK, 0), 0);
}

static void without_a_journal_there_are_none(void **state) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(cpusets_freep) Cpusets *cpusets = NULL;
        cpu_set_t one, other;
        Cpuset cpuset;

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(cpusets_new(root, NULL, &cpusets), 0);
        (void)split(&one, &other);
        assert_int_equal(cpusets_make(cpusets, 1, &one, &cpuset), 0);
        assert_int_equal(cpuset.outcome, OPS_OUTCOME_UNSUPPORTED);
        assert_int_equal(cpusets_remove(cpusets, &cpuset), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(who_is_in_one_cannot_leave_its_cpus_and_it_is_gone_after_him),
                cmocka_unit_test(one_that_is_left_is_removed_by_the_journal_once_it_is_empty),
                cmocka_unit_test(without_a_journal_there_are_none),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
