/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two processes take turns: each step is done once, by the other process, before the one that asked goes on. */

#include "runner/time/lockstep.h"

#include "mortal.h"

#define STEPS 2000u

static LockstepPage *new_page(void) {
        LockstepPage *page =
                        mmap(NULL, BLOCK_LOCKSTEP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        assert_true(page != MAP_FAILED);
        return page;
}

/* Answers each step with its own number, and the step that was asked for. */
static void __attribute__((noreturn)) follow(LockstepPage *page) {
        for (uint32_t n_done = 0;; n_done++) {
                page->state = lockstep_hear(page, n_done);
                page->iterations_max = n_done;
                lockstep_answer(page);
        }
}

TEST(each_step_is_done_before_the_next_is_asked_for) {
        LockstepPage *page = new_page();
        const pid_t pid = fork_mortal();

        if (pid == 0)
                follow(page);
        for (uint32_t i = 0; i < STEPS; i++) {
                const LockstepStep step = i % (LOCKSTEP_TELL + 1);

                lockstep_ask(page, step);
                assert_int_equal(page->state, step);
                assert_int_equal(page->iterations_max, i);
        }
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        munmap(page, BLOCK_LOCKSTEP_BYTES);
}

TEST(the_page_lies_behind_the_blocks) {
        static SampleBlock blocks[RUNNER_SIDES_MAX + 1];
        const RunnerPlan plan = { .mode = RUNNER_MODE_RUN, .n_sides = RUNNER_SIDES_MAX };

        assert_ptr_equal(lockstep_page(&plan, blocks), &blocks[RUNNER_SIDES_MAX]);
        assert_int_equal(block_size(&plan), RUNNER_SIDES_MAX * sizeof(SampleBlock) + BLOCK_LOCKSTEP_BYTES);
}
