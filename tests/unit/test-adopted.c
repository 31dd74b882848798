/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A client's process is taken in only as what it is now: one thread, wholly of its user; and what lives on gets its CPUs back. */

#include "launch/run/adopted.h"

#include <sched.h>

#include "machine.h"
#include "mortal.h"

static int hold_laid(const char *uids, const char *threads) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(adopted_let_go) AdoptedOne one = ADOPTED_ONE_NULL;
        char path[64], text[256];

        snprintf(path, sizeof path, "proc/%d/status", getpid());
        snprintf(text, sizeof text, "Name:\tUid: 0 Threads: 9\nUid:\t%s\nGid:\t0\t0\t0\t0\nThreads:\t%s\nSigQ:\t0/1",
                        uids, threads);
        machine_put(machine, path, text);
        return adopted_hold(machine->root, getpid(), 1000, &one);
}

static pid_t fork_pausing(void) {
        pid_t pid = fork_mortal();

        if (pid == 0)
                for (;;)
                        pause();
        return pid;
}

static void kill_and_reap(pid_t pid) {
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void hold(RootDir *root, pid_t pid, AdoptedOne *ret_one) {
        assert_int_equal(adopted_hold(root, pid, getuid(), ret_one), 0);
}

TEST(each_of_its_user_ids_is_its_users) {
        assert_int_equal(hold_laid("1000\t1000\t1000\t1000", "1"), 0);
        assert_int_equal(hold_laid("0\t1000\t1000\t1000", "1"), ADOPTED_E_STRANGER);
        assert_int_equal(hold_laid("1000\t0\t1000\t1000", "1"), ADOPTED_E_STRANGER);
        assert_int_equal(hold_laid("1000\t1000\t0\t1000", "1"), ADOPTED_E_STRANGER);
        assert_int_equal(hold_laid("1000\t1000\t1000\t0", "1"), ADOPTED_E_STRANGER);
}

TEST(it_has_one_thread) {
        assert_int_equal(hold_laid("1000\t1000\t1000\t1000", "2"), ADOPTED_E_THREADS);
}

TEST(a_status_that_does_not_tell_is_an_error) {
        assert_int_equal(hold_laid("1000\t1000\t1000", "1"), -EBADMSG);
        assert_int_equal(hold_laid("1000\t1000\t1000\t1000", "many"), -EBADMSG);
}

TEST(a_process_that_cannot_be_named_or_is_dead_is_not_held) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        AdoptedOne one = ADOPTED_ONE_NULL;
        pid_t pid = fork_pausing();

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(adopted_hold(root, 0, getuid(), &one), ADOPTED_E_STRANGER); /* else it would be this one */
        assert_int_equal(adopted_hold(root, -1, getuid(), &one), ADOPTED_E_STRANGER);
        kill_and_reap(pid);
        assert_int_equal(adopted_hold(root, pid, getuid(), &one), ADOPTED_E_GONE);
        assert_int_equal(one.pidfd, -1);
}

TEST(the_dead_make_room_but_a_runner_takes_in_so_many_in_all) {
        _cleanup_(adopted_clear) Adopted adopted = {};
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        pid_t pids[ADOPTED_IN_ALL];
        AdoptedOne one;

        assert_int_equal(root_dir_new("/", &root), 0);
        for (size_t i = 0; i < ADOPTED_IN_ALL; i++) {
                if (i >= ADOPTED_MAX) {
                        assert_false(adopted_has_room(&adopted));
                        kill_and_reap(pids[i - 1]);
                }
                assert_true(adopted_has_room(&adopted));
                pids[i] = fork_pausing();
                hold(root, pids[i], &one);
                adopted_take(&adopted, &one);
        }
        adopted_kill(&adopted);
        while (!adopted_are_gone(&adopted))
                sched_yield();
        assert_false(adopted_has_room(&adopted));
        assert_int_equal(adopted.n, 0);
        while (wait(NULL) > 0)
                ;
}

/* A runner that is no child of this process cannot be reaped, so only its pidfd tells. */
TEST(it_is_killed_with_its_children) {
        _cleanup_(adopted_clear) Adopted adopted = {};
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        AdoptedOne one;
        int ends[2];
        pid_t pid;

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(pipe(ends), 0);
        pid = fork_mortal();
        if (pid == 0) {
                if (fork() == 0)
                        (void)!write(ends[1], "", 1); /* both live */
                for (;;)
                        pause();
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], &(char){ 0 }, 1), 1);
        hold(root, pid, &one);
        adopted_take(&adopted, &one);
        adopted_kill(&adopted);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_int_equal(read(ends[0], &(char){ 0 }, 1), 0); /* the child's end is closed too */
        close(ends[0]);
        assert_true(adopted_are_gone(&adopted));
}

/* Its user has moved it out of the group: it holds up no CPU, and is none of this process's. */
TEST(one_that_this_process_may_not_kill_is_not_waited_for) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        Adopted adopted = {};
        pid_t pid, other;
        AdoptedOne one;
        int status;

        if (getuid() != 0)
                skip();
        assert_int_equal(root_dir_new("/", &root), 0);
        pid = fork_pausing();
        hold(root, pid, &one);
        adopted_take(&adopted, &one);
        assert_false(adopted_are_gone(&adopted));
        other = fork_mortal();
        if (other == 0) {
                if (setresuid(4321, 4321, 4321) < 0)
                        _exit(2);
                adopted_kill(&adopted);
                _exit(adopted_obeys(&one) || !adopted_are_gone(&adopted));
        }
        assert_int_equal(waitpid(other, &status, 0), other);
        assert_int_equal(status, 0);
        assert_false(adopted_is_gone(&one));
        adopted_clear(&adopted);
        kill_and_reap(pid);
}

TEST(what_lives_on_gets_its_cpus_back) {
        Adopted adopted = {};
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        pid_t pid = fork_pausing();
        cpu_set_t all, now, one_cpu;
        AdoptedOne one;

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
        CPU_ZERO(&one_cpu);
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one_cpu) == 0; cpu++)
                if (CPU_ISSET(cpu, &all))
                        CPU_SET(cpu, &one_cpu);
        hold(root, pid, &one);
        adopted_take(&adopted, &one);
        assert_int_equal(adopted_pin(&one, &one_cpu), OPS_OUTCOME_APPLIED);
        assert_int_equal(sched_getaffinity(pid, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, &one_cpu));
        adopted_clear(&adopted);
        assert_int_equal(sched_getaffinity(pid, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, &all));
        kill_and_reap(pid);
}
