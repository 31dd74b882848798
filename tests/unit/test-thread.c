/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Who a thread is: found only in its own process, and never taken for another that has its id.
 */

#include "launch/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch/realtime.h"
#include "util/cleanup.h"
#include "util/root-dir.h"

DEFINE_CLEANUP(RootDir *, root_dir_free)

static RootDir *root_at(const char *path) {
        RootDir *root;

        assert_int_equal(root_dir_new(path, &root), 0);
        return root;
}

static void *tell_id(void *ret_id) {
        *(pid_t *)ret_id = gettid();
        return NULL;
}

static void a_thread_is_found_in_its_own_process_and_in_no_other(void **state) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        Thread thread;

        assert_int_equal(thread_find(root, getpid(), gettid(), &thread), 0);
        assert_int_equal(thread.process, getpid());
        assert_int_equal(thread.id, gettid());
        assert_true(thread.started > 0);
        assert_true(thread_is(root, &thread));
        assert_int_equal(thread_find(root, getppid(), gettid(), &thread), THREAD_E_GONE);
        assert_int_equal(thread_find(root, 0, gettid(), &thread), THREAD_E_GONE);
        assert_int_equal(thread_find(root, getpid(), -1, &thread), THREAD_E_GONE);
}

static void one_that_has_ended_is_gone(void **state) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        pthread_t thread;
        Thread found;
        pid_t id = 0;

        assert_int_equal(pthread_create(&thread, NULL, tell_id, &id), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        /* the kernel takes it out of /proc a moment after it woke the joiner */
        while (thread_find(root, getpid(), id, &found) == 0)
                sched_yield();
        assert_int_equal(thread_find(root, getpid(), id, &found), THREAD_E_GONE);
}

static void write_stat(const char *directory, const char *name, unsigned started) {
        char path[128];
        FILE *file;

        snprintf(path, sizeof path, "%s/proc/7/task/9/stat", directory);
        file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "9 (%s) R 1 7 7 0 -1 4194304 1 0 0 0 2 3 0 0 20 0 2 0 %u 1000 20 18446744073709551615\n", name,
                        started);
        assert_int_equal(fclose(file), 0);
}

static void make_directories(const char *directory) {
        static const char *const parts[] = { "proc", "proc/7", "proc/7/task", "proc/7/task/9" };
        char path[128];

        for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
                snprintf(path, sizeof path, "%s/%s", directory, parts[i]);
                assert_int_equal(mkdir(path, 0700), 0);
        }
}

static void remove_directories(const char *directory) {
        static const char *const parts[] = { "proc/7/task/9/stat", "proc/7/task/9", "proc/7/task", "proc/7", "proc",
                "" };
        char path[128];

        for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
                snprintf(path, sizeof path, "%s/%s", directory, parts[i]);
                assert_int_equal(remove(path), 0);
        }
}

/* Its id is another's, once it has ended; nor does it choose a name that makes it so. */
static void one_that_started_at_another_time_is_another(void **state) {
        char directory[] = "/tmp/benchd-test-XXXXXX";
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        Thread thread;

        assert_non_null(mkdtemp(directory));
        make_directories(directory);
        root = root_at(directory);
        write_stat(directory, "a) R 1 (b", 12345);
        assert_int_equal(thread_find(root, 7, 9, &thread), 0);
        assert_int_equal(thread.started, 12345);
        assert_true(thread_is(root, &thread));
        write_stat(directory, "a) R 1 (b", 12346);
        assert_false(thread_is(root, &thread));
        remove_directories(directory);
}

static void write_status(const char *directory, const char *text) {
        char path[128];
        FILE *file;

        snprintf(path, sizeof path, "%s/proc/7/task/9/status", directory);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

/* In a namespace of its own it has another id than here. */
static void one_is_found_by_the_id_that_it_knows_itself_by(void **state) {
        char directory[] = "/tmp/benchd-test-XXXXXX", path[128];
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        Thread thread;

        assert_non_null(mkdtemp(directory));
        make_directories(directory);
        root = root_at(directory);
        write_stat(directory, "a", 12345);
        write_status(directory, "Name:\tNSpid:\t3\nPid:\t9\nNSpid:\t9\t4\t2\nNSpgid:\t7\t3\n");
        assert_int_equal(thread_find_own(root, 7, 2, &thread), 0);
        assert_int_equal(thread.id, 9);
        assert_int_equal(thread.process, 7);
        assert_int_equal(thread.started, 12345);
        for (pid_t id = 3; id <= 9; id++)
                assert_int_equal(thread_find_own(root, 7, id, &thread), THREAD_E_GONE);
        write_status(directory, "Pid:\t9\n");
        assert_int_equal(thread_find_own(root, 7, 9, &thread), THREAD_E_GONE);
        snprintf(path, sizeof path, "%s/proc/7/task/9/status", directory);
        assert_int_equal(remove(path), 0);
        remove_directories(directory);
}

static void a_thread_outside_of_namespaces_knows_the_same_id(void **state) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        Thread thread;

        assert_int_equal(thread_find_own(root, getpid(), gettid(), &thread), 0);
        assert_int_equal(thread.id, gettid());
        assert_int_equal(thread_find_own(root, getpid(), -1, &thread), THREAD_E_GONE);
}

/* The one that runs this test, told under a start that was not its own. */
static void what_is_not_the_same_is_given_nothing(void **state) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        Thread thread;

        assert_int_equal(thread_find(root, getpid(), gettid(), &thread), 0);
        thread.started++;
        assert_int_equal(realtime_grant_thread(root, &thread, 0), OPS_OUTCOME_OVERRIDDEN);
        assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

/* A child that reads from a pipe waits for that alone, one that spins for a CPU; and this process runs. */
static void what_a_process_waits_for_is_told_apart(void **state) {
        _cleanup_(root_dir_freep) RootDir *root = root_at("/");
        int pipes[2];
        pid_t pid;

        assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody spinning */
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

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_thread_is_found_in_its_own_process_and_in_no_other),
                cmocka_unit_test(one_that_has_ended_is_gone),
                cmocka_unit_test(one_that_started_at_another_time_is_another),
                cmocka_unit_test(one_is_found_by_the_id_that_it_knows_itself_by),
                cmocka_unit_test(a_thread_outside_of_namespaces_knows_the_same_id),
                cmocka_unit_test(what_is_not_the_same_is_given_nothing),
                cmocka_unit_test(what_a_process_waits_for_is_told_apart),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
