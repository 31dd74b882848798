/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a module prints: the end of it stays, whatever came before, and printing never fails for it.
 */

#include "launch/output.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops/runner-plan.h"
#include "test.h"
#include "util/fd.h"

static int fd;

static int set_up(void **state) {
        assert_int_equal(output_new(&fd), 0);
        return 0;
}

static int tear_down(void **state) {
        fd = fd_close(fd);
        return 0;
}

static void settle(void) {
        int settled_fd;

        assert_int_equal(output_settle(fd, &settled_fd), 0);
        fd_close(fd);
        fd = settled_fd;
}

static size_t size_of_output(void) {
        struct stat status;

        assert_int_equal(fstat(fd, &status), 0);
        return status.st_size;
}

static void print_lines(unsigned from, unsigned to) {
        for (unsigned i = from; i < to; i++)
                assert_int_equal(dprintf(fd, "line %9u\n", i), 15);
}

/* The last @n bytes are the last lines up to @to. */
static void assert_ends_with_line(unsigned to) {
        char expected[16], last[16] = "";

        snprintf(expected, sizeof expected, "line %9u\n", to - 1);
        assert_int_equal(pread(fd, last, 15, size_of_output() - 15), 15);
        assert_string_equal(last, expected);
}

TEST(little_stays_as_it_is, set_up, tear_down) {
        print_lines(0, 100);
        output_trim(fd);
        settle();
        assert_int_equal(size_of_output(), 1500);
        assert_ends_with_line(100);
}

TEST(of_much_the_last_stays, set_up, tear_down) {
        print_lines(0, 100000);
        settle();
        assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        assert_ends_with_line(100000);
}

TEST(printing_goes_on_after_it_was_cut, set_up, tear_down) {
        for (unsigned i = 0; i < 20; i++) {
                print_lines(i * 100000, (i + 1) * 100000);
                assert_true(output_is_long(fd));
                output_trim(fd);
                assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        }
        print_lines(2000000, 2000001);
        settle();
        assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        assert_ends_with_line(2000001);
}

TEST(what_is_not_long_yet_is_left_alone_while_it_grows, set_up, tear_down) {
        print_lines(0, 5000);
        assert_false(output_is_long(fd));
        output_trim(fd);
        assert_int_equal(size_of_output(), 75000);
}

TEST(a_module_that_plays_with_its_output_harms_nobody, set_up, tear_down) {
        print_lines(0, 10);
        assert_int_equal(ftruncate(fd, 100 << 20), 0);
        settle();
        assert_int_equal(size_of_output(), 150);
        assert_int_equal(lseek(fd, INT64_C(1) << 40, SEEK_SET), INT64_C(1) << 40);
        output_trim(fd);
        settle();
        assert_true(size_of_output() <= RUNNER_OUTPUT_MAX);
}

/* ---- a write that does not come to its end, since its bytes do not come */

#define BYTES  4096u
#define LATEST 20000 /* ms until a thread counts as stuck */

typedef struct Stall {
        int faults_fd;
        char *bytes;
        int done[2]; /* a pipe */
        int settled_fd;
} Stall;

static void *write_stalled(void *userdata) {
        Stall *stall = userdata;

        return write(fd, stall->bytes, BYTES) == BYTES ? stall : NULL;
}

static void *look_at_output(void *userdata) {
        Stall *stall = userdata;

        (void)output_is_long(fd);
        (void)output_settle(fd, &stall->settled_fd);
        return write(stall->done[1], "", 1) == 1 ? stall : NULL;
}

static bool stall_begin(Stall *stall) {
        struct uffdio_api api = { .api = UFFD_API };
        struct uffdio_register range = { .range.len = BYTES, .mode = UFFDIO_REGISTER_MODE_MISSING };

        *stall = (Stall){ .faults_fd = syscall(SYS_userfaultfd, O_CLOEXEC), .settled_fd = -1 };
        if (stall->faults_fd < 0 || ioctl(stall->faults_fd, UFFDIO_API, &api) < 0)
                return false;
        stall->bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(stall->bytes != MAP_FAILED);
        range.range.start = (uintptr_t)stall->bytes;
        assert_int_equal(ioctl(stall->faults_fd, UFFDIO_REGISTER, &range), 0);
        assert_int_equal(pipe2(stall->done, O_CLOEXEC), 0);
        return true;
}

static void stall_release(const Stall *stall) {
        struct uffdio_zeropage page = { .range = { .start = (uintptr_t)stall->bytes, .len = BYTES } };

        assert_int_equal(ioctl(stall->faults_fd, UFFDIO_ZEROPAGE, &page), 0);
}

static void stall_end(Stall *stall) {
        munmap(stall->bytes, BYTES);
        fd_close(stall->faults_fd);
        fd_close(stall->done[0]);
        fd_close(stall->done[1]);
        fd_close(stall->settled_fd);
}

TEST(nobody_waits_for_a_module_that_stops_amid_a_write, set_up, tear_down) {
        pthread_t writer, looker;
        struct uffd_msg fault;
        Stall stall;
        bool looked;

        if (!stall_begin(&stall))
                skip(); /* only root may hold up the kernel */
        print_lines(0, 10);
        assert_int_equal(pthread_create(&writer, NULL, write_stalled, &stall), 0);
        assert_int_equal(read(stall.faults_fd, &fault, sizeof fault), sizeof fault);
        assert_int_equal(pthread_create(&looker, NULL, look_at_output, &stall), 0);
        looked = poll(&(struct pollfd){ .fd = stall.done[0], .events = POLLIN }, 1, LATEST) == 1;
        stall_release(&stall);
        pthread_join(writer, NULL);
        pthread_join(looker, NULL);
        assert_true(looked);
        assert_true(stall.settled_fd >= 0);
        stall_end(&stall);
}
