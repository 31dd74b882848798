/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a runner is born with, and what stays with the launcher: which end is whose, and in which order they are handed over.
 */

#include "launch/process-fds.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/ticket.h"
#include "launch/zygote.h"
#include "ops/sample-block.h"
#include "pair.h"
#include "test.h"

static const RunnerPlan plan = { .mode = RUNNER_MODE_RUN, .n_sides = 2 };

TEST(the_pipes_lead_to_the_runner_and_back_and_never_block_here) {
        ProcessFds ours = PROCESS_FDS_NULL;
        NewbornFds theirs = NEWBORN_FDS_NULL;
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
        NewbornFds theirs = NEWBORN_FDS_NULL;
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
        const NewbornFds theirs = { .plan = 5, .ask = 6, .answer = 7 };
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
        const NewbornFds theirs = NEWBORN_FDS_NULL;
        const int expected[] = { 20, 30, 31, 40, 41 };
        int fds[ZYGOTE_FDS_MAX];

        assert_int_equal(process_fds_gather(&ours, &theirs, both, fds), ZYGOTE_FD_MODULE + 5);
        assert_memory_equal(fds + ZYGOTE_FD_MODULE, expected, sizeof expected);
}
