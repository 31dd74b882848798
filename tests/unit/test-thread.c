/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who a thread is: found only in its own process, and never taken for one of another that has its id. */

#include "launch/base/thread.h"

#include <pthread.h>

#include "launch/run/windows.h"
#include "machine.h"
#include "mortal.h"

static RootDir *root_at(const char *path) {
        RootDir *root;

        assert_int_equal(root_dir_new(path, &root), 0);
        return root;
}

static void *tell_id(void *ret_id) {
        *(pid_t *)ret_id = gettid();
        return NULL;
}

TEST(a_thread_is_there_in_its_own_process_and_in_no_other) {
        assert_true(thread_is_there(&(Thread){ .process = getpid(), .id = gettid() }));
        assert_true(thread_is_there(&(Thread){ .process = 1, .id = 1 }));
        assert_false(thread_is_there(&(Thread){ .process = getppid(), .id = gettid() }));
        assert_false(thread_is_there(&(Thread){ .process = getpid(), .id = getppid() }));
        assert_false(thread_is_there(&(Thread){ .process = 0, .id = gettid() }));
        assert_false(thread_is_there(&(Thread){ .process = getpid(), .id = -1 }));
        assert_false(thread_is_there(&(Thread){}));
}

TEST(one_that_has_ended_is_gone) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        Thread found = { .process = getpid() };
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, tell_id, &found.id), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        /* it is a thread of its process until a moment after it woke the joiner */
        while (thread_is_there(&found))
                sched_yield();
        assert_int_equal(thread_find_own(root, getpid(), found.id, &found), THREAD_E_GONE);
}

/* A process does not choose a name that makes it begin at another time. */
TEST(a_process_begins_when_the_kernel_says) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        uint64_t started;

        assert_int_equal(thread_read_start(machine->root, 7, &started), THREAD_E_GONE);
        machine_put(machine, "proc/7/task/7/stat",
                        "7 (a) R 1 (b) R 1 7 7 0 -1 4194304 1 0 0 0 2 3 0 0 20 0 2 0 12345 1000 20 18446744073709551615");
        assert_int_equal(thread_read_start(machine->root, 7, &started), 0);
        assert_int_equal(started, 12345);
}

static void write_status(const Machine *machine, unsigned id, const char *text) {
        char path[64];

        snprintf(path, sizeof path, "proc/7/task/%u/status", id);
        machine_put(machine, path, text);
}

/* In a namespace of its own it has another id than here. */
TEST(one_is_found_by_the_id_that_it_knows_itself_by) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        Thread thread;

        write_status(machine, 9, "Name:\tNSpid:\t3\nPid:\t9\nNSpid:\t9\t4\t2\nNSpgid:\t7\t3");
        assert_int_equal(thread_find_own(machine->root, 7, 2, &thread), 0);
        assert_int_equal(thread.id, 9);
        assert_int_equal(thread.process, 7);
        for (pid_t id = 3; id <= 9; id++)
                assert_int_equal(thread_find_own(machine->root, 7, id, &thread), THREAD_E_GONE);
        write_status(machine, 9, "Pid:\t9");
        assert_int_equal(thread_find_own(machine->root, 7, 9, &thread), THREAD_E_GONE);
}

/* Workers are the last that begin; a module with thousands of threads is not looked through for each name. */
TEST(no_more_threads_are_looked_at_than_so_many) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        const unsigned n = THREAD_LOOKS_MAX + 1;
        Thread thread;

        for (unsigned id = 10; id < 10 + n; id++) {
                char text[32]; /* of one outside of namespaces */

                snprintf(text, sizeof text, "Pid:\t%u\nNSpid:\t%u", id, id);
                write_status(machine, id, text);
        }
        assert_int_equal(thread_find_own(machine->root, 7, 10 + n - 1, &thread), 0);
        assert_int_equal(thread_find_own(machine->root, 7, 11, &thread), 0);
        assert_int_equal(thread_find_own(machine->root, 7, 10, &thread), THREAD_E_GONE);
}

TEST(a_thread_outside_of_namespaces_knows_the_same_id) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        Thread thread;

        assert_int_equal(thread_find_own(root, getpid(), gettid(), &thread), 0);
        assert_int_equal(thread.id, gettid());
        assert_int_equal(thread_find_own(root, getpid(), -1, &thread), THREAD_E_GONE);
}

/* The one that runs this test, told as a thread of another process. */
TEST(one_of_another_process_is_given_nothing) {
        assert_int_equal(windows_grant_thread(&(Thread){ .process = getppid(), .id = gettid() }, 0),
                        OPS_OUTCOME_OVERRIDDEN);
        assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

/* A child that reads from a pipe waits for that alone, one that spins for a CPU; and this process runs. */
TEST(what_a_process_waits_for_is_told_apart) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        int pipes[2];
        pid_t pid;

        assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
        pid = fork_mortal();
        if (pid == 0) {
                close(pipes[1]);
                (void)!read(pipes[0], &(char){ 0 }, 1);
                for (;;)
                        ;
        }
        assert_true(thread_wants_cpu(root, getpid()));
        while (thread_wants_cpu(root, pid))
                sched_yield();
        close(pipes[1]);
        while (!thread_wants_cpu(root, pid))
                sched_yield();
        close(pipes[0]);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_false(thread_wants_cpu(root, pid));
}
