/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <sys/eventfd.h>

#include "ops/block.h"
#include "ops/runner-plan.h"
#include "runner/watch/files-used.h"
#include "test.h"

/* Descriptors of a test lie above those that are the runner's. */
static int raise_fd(int fd) {
        const int raised = fcntl(fd, F_DUPFD_CLOEXEC, RUNNER_FD_STATUS + 1);

        assert_true(fd >= 0 && raised >= 0);
        close(fd);
        return raised;
}

/* The kernel's clock of files goes by ticks, up to one behind: a change has a time after the moment from the second tick on. */
static void pass_ticks(void) {
        for (unsigned i = 0; i < 2; i++) {
                struct timespec first, now;

                clock_gettime(CLOCK_REALTIME_COARSE, &first);
                do
                        clock_gettime(CLOCK_REALTIME_COARSE, &now);
                while (now.tv_sec == first.tv_sec && now.tv_nsec == first.tv_nsec);
        }
}

TEST(each_kind_that_is_open_is_seen) {
        struct timespec since;
        int pair[2];
        int fd;

        files_used_begin(&since);
        assert_int_equal(files_used_find(&since) & ~FILE_KIND_MEMORY, 0);
        fd = raise_fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        assert_int_equal(files_used_find(&since) & ~FILE_KIND_MEMORY, FILE_KIND_DISK);
        close(fd);
        fd = raise_fd(eventfd(0, EFD_CLOEXEC));
        assert_int_equal(files_used_find(&since) & ~FILE_KIND_MEMORY, FILE_KIND_EVENT);
        close(fd);
        fd = raise_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
        assert_int_equal(files_used_find(&since) & ~FILE_KIND_MEMORY, FILE_KIND_DEVICE);
        close(fd);
        assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
        fd = raise_fd(pair[0]);
        assert_int_equal(files_used_find(&since) & ~FILE_KIND_MEMORY, FILE_KIND_PIPE);
        close(fd);
        close(pair[1]);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
        fd = raise_fd(pair[0]);
        assert_int_equal(files_used_find(&since) & ~FILE_KIND_MEMORY, FILE_KIND_SOCKET);
        close(fd);
        close(pair[1]);
}

TEST(a_memfd_counts_once_it_is_written) {
        const int fd = raise_fd(memfd_create("of the module", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        struct timespec since;

        pass_ticks();
        files_used_begin(&since);
        assert_int_equal(files_used_find(&since) & FILE_KIND_MEMORY_CHANGED, 0);
        pass_ticks();
        assert_int_equal(write(fd, "x", 1), 1);
        assert_int_equal(files_used_find(&since), FILE_KIND_MEMORY | FILE_KIND_MEMORY_CHANGED);
        close(fd);
}

/* @act on a file of this directory, which is on a tmpfs that other programs use too, is seen as a change. */
static bool is_seen(void (*act)(void)) {
        struct timespec since;
        unsigned tries = 0;

        do {
                assert_true(++tries < 1000);
                pass_ticks();
                files_used_begin(&since);
        } while (files_used_find(&since) != FILE_KIND_MEMORY);
        pass_ticks();
        act();
        return files_used_find(&since) & FILE_KIND_MEMORY_CHANGED;
}

static void write_file(void) {
        const int fd = open("deep/er/file", O_WRONLY | O_CLOEXEC);

        assert_int_equal(write(fd, "x", 1), 1);
        close(fd);
}

static void make_and_remove(void) {
        close(open("new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        assert_int_equal(unlink("new"), 0);
}

static void rename_file(void) {
        assert_int_equal(rename("deep/er/file", "deep/er/other"), 0);
}

static void read_file(void) {
        const int fd = open("deep/er/other", O_RDONLY | O_CLOEXEC);
        char c;

        assert_int_equal(read(fd, &c, 1), 1);
        close(fd);
}

TEST(files_that_are_not_open_are_seen_by_what_the_kernel_notes) {
        char directory[] = "/dev/shm/benchd-files-used-XXXXXX";
        unsigned tries = 0;

        if (!mkdtemp(directory))
                skip(); /* there is no tmpfs to write to */
        assert_int_equal(chdir(directory), 0);
        assert_int_equal(mkdir("deep", 0700) | mkdir("deep/er", 0700), 0);
        close(open("deep/er/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        assert_true(is_seen(write_file));
        assert_true(is_seen(make_and_remove));
        assert_true(is_seen(rename_file));
        while (is_seen(read_file)) /* or what another program did at that moment */
                assert_true(++tries < 20);
        assert_int_equal(unlink("deep/er/other") | rmdir("deep/er") | rmdir("deep"), 0);
        assert_int_equal(chdir("/") | rmdir(directory), 0);
}

/* Whatever this process inherited. */
static int close_others(void **state) {
        return close_range(RUNNER_FD_MODULE, ~0u, 0);
}

TEST_FILE(close_others, NULL)
