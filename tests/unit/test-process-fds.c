/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a runner is born with, and what stays with the launcher: which end is whose, and in which order they are handed over. */

#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "launch/birth/process-fds.h"
#include "launch/birth/zygote.h"
#include "launch/trust/ticket.h"
#include "ops/block.h"
#include "ops/runner-plan.h"

#include "pair.h"

static const RunnerPlan plan = { .mode = RUNNER_MODE_RUN, .n_sides = 2 };

TEST(the_pipes_lead_to_the_runner_and_back_and_never_block_here) {
        ProcessFds ours = PROCESS_FDS_NULL;
        ProcessNewbornFds theirs = PROCESS_NEWBORN_FDS_NULL;
        size_t before = open_fds();
        char word;

        assert_int_equal(process_fds_make(&plan, &ours, &theirs), 0);
        assert_int_equal(read(ours.ask, &word, 1), -1);
        assert_int_equal(errno, EAGAIN);
        assert_int_equal(write(theirs.ask, "a", 1), 1);
        assert_int_equal(read(ours.ask, &word, 1), 1);
        assert_int_equal(word, 'a');
        assert_int_equal(write(ours.answer, "b", 1), 1);
        assert_int_equal(read(theirs.answer, &word, 1), 1);
        assert_int_equal(word, 'b');
        process_fds_close_newborn(&theirs);
        process_fds_close(&ours);
        assert_int_equal(open_fds(), before);
}

TEST(the_plan_is_sealed_and_the_block_has_its_size) {
        ProcessFds ours = PROCESS_FDS_NULL;
        ProcessNewbornFds theirs = PROCESS_NEWBORN_FDS_NULL;
        struct stat status;
        size_t size;

        assert_int_equal(process_fds_make(&plan, &ours, &theirs), 0);
        assert_int_equal(fd_check_sealed(theirs.plan, sizeof plan, &size), 0);
        assert_int_equal(size, sizeof plan);
        assert_int_equal(fstat(ours.block, &status), 0);
        assert_int_equal(status.st_size, block_size(&plan));
        process_fds_close_newborn(&theirs);
        process_fds_close(&ours);
}

TEST(each_side_follows_with_its_module_first) {
        const Ticket new = { .module_fd = 20, .library_fds = { 21, 22 }, .n_libraries = 2 };
        const Ticket old = { .module_fd = 30, .library_fds = { 31 }, .n_libraries = 1 };
        const Ticket *const both[RUNNER_SIDES_MAX] = { &new, &old }, *const none[RUNNER_SIDES_MAX] = {};
        const ProcessFds ours = { .ask = 1, .answer = 2, .block = 3, .output = 4 };
        const ProcessNewbornFds theirs = { .plan = 5, .ask = 6, .answer = 7 };
        const int expected[] = { 5, 3, 6, 7, 4, 20, 21, 22, 30, 31 };
        int fds[ZYGOTE_FDS_MAX];

        assert_int_equal(process_fds_gather(&ours, &theirs, both, fds), 10);
        assert_memory_equal(fds, expected, sizeof expected);
        assert_int_equal(process_fds_gather(&ours, &theirs, none, fds), ZYGOTE_FD_MODULE);
}

/* Each side's ticket has them, since each side is listed by itself; a process of both has them once. */
TEST(inputs_come_last_and_once) {
        const Ticket new = { .module_fd = 20, .input_fds = { 40, 41 }, .n_inputs = 2 };
        const Ticket old = { .module_fd = 30,
                .library_fds = { 31 },
                .n_libraries = 1,
                .input_fds = { 50, 51 },
                .n_inputs = 2 };
        const Ticket *const both[RUNNER_SIDES_MAX] = { &new, &old };
        const ProcessFds ours = PROCESS_FDS_NULL;
        const ProcessNewbornFds theirs = PROCESS_NEWBORN_FDS_NULL;
        const int expected[] = { 20, 30, 31, 40, 41 };
        int fds[ZYGOTE_FDS_MAX];

        assert_int_equal(process_fds_gather(&ours, &theirs, both, fds), ZYGOTE_FD_MODULE + 5);
        assert_memory_equal(fds + ZYGOTE_FD_MODULE, expected, sizeof expected);
}

/* What a module prints: the end of it stays, whatever came before, and printing never fails for it. */

static int fd;

static int set_up(void **state) {
        assert_int_equal(process_output_new(&fd), 0);
        return 0;
}

static int tear_down(void **state) {
        fd = fd_close(fd);
        return 0;
}

static void settle(void) {
        int settled_fd;

        assert_int_equal(process_output_settle(fd, &settled_fd), 0);
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
        process_output_trim(fd);
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
                assert_true(process_output_is_long(fd));
                process_output_trim(fd);
                assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        }
        print_lines(2000000, 2000001);
        settle();
        assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        assert_ends_with_line(2000001);
}

TEST(what_is_not_long_yet_is_left_alone_while_it_grows, set_up, tear_down) {
        print_lines(0, 5000);
        assert_false(process_output_is_long(fd));
        process_output_trim(fd);
        assert_int_equal(size_of_output(), 75000);
}

TEST(a_module_that_plays_with_its_output_harms_nobody, set_up, tear_down) {
        print_lines(0, 10);
        assert_int_equal(ftruncate(fd, 100 << 20), 0);
        settle();
        assert_int_equal(size_of_output(), 150);
        assert_int_equal(lseek(fd, INT64_C(1) << 40, SEEK_SET), INT64_C(1) << 40);
        process_output_trim(fd);
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

        (void)process_output_is_long(fd);
        (void)process_output_settle(fd, &stall->settled_fd);
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
