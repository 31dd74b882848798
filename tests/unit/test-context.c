/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>

#include "runner/time/context.h"
#include "test.h"

typedef struct Counter {
        Context *context;
        unsigned steps;
        unsigned count;
        uintptr_t stack;
} Counter;

static void count_up(void *argument) {
        Counter *counter = argument;
        volatile double kept = 1.5;

        counter->stack = (uintptr_t)__builtin_frame_address(0);
        for (unsigned i = 0; i < counter->steps; i++) {
                counter->count++;
                kept *= 2;
                context_yield(counter->context);
        }
        counter->count = kept > 1.5 ? 1000 : 2000;
}

TEST(a_context_runs_until_it_yields_and_goes_on_from_there) {
        Counter counter = { .steps = 3 };

        assert_int_equal(context_new(1 << 16, 0, count_up, &counter, &counter.context), 0);
        for (unsigned i = 1; i <= 3; i++) {
                context_resume(counter.context);
                assert_int_equal(counter.count, i);
        }
        context_resume(counter.context);
        assert_int_equal(counter.count, 1000);
        context_resume(counter.context);
        assert_int_equal(counter.count, 1000);
        context_free(counter.context);
}

/* ---- the thread's own stack */

static uintptr_t own_stack;

static void run_on_the_own_stack(void *unused) {
        Counter first = { .steps = 1 }, second = { .steps = 3 };

        assert_int_equal(context_new_own(0, count_up, &first, &first.context), 0);
        context_resume(first.context); /* and is left there, as a body that failed is */
        assert_int_equal(first.count, 1);
        assert_int_equal(context_new_own(64, count_up, &second, &second.context), 0);
        for (unsigned i = 1; i <= 3; i++) {
                context_resume(second.context);
                assert_int_equal(second.count, i);
        }
        context_resume(second.context);
        assert_int_equal(second.count, 1000);
        assert_true(first.stack < own_stack && own_stack - first.stack < 8192);
        assert_int_equal(first.stack - second.stack, 64);
        context_free(first.context);
        context_free(second.context);
}

TEST(a_thread_that_steps_aside_leaves_its_own_stack_to_a_context) {
        own_stack = (uintptr_t)__builtin_frame_address(0);
        assert_int_equal(context_step_aside(1 << 16, run_on_the_own_stack, NULL), 0);
        assert_int_equal(context_step_aside(1 << 16, run_on_the_own_stack, NULL), 0);
}

static unsigned seen_mode;

static void read_mode(void *argument) {
        seen_mode = __builtin_ia32_stmxcsr();
}

static void run_with_modes(void *unused) {
        Context *context;

        assert_int_equal(__builtin_ia32_stmxcsr() & 0x6000, 0); /* its own is as ever */
        assert_int_equal(context_new_own(0, read_mode, NULL, &context), 0);
        context_resume(context);
        context_free(context);
}

TEST(the_own_stack_keeps_the_thread_s_state_of_floating_point) {
        const unsigned mode = __builtin_ia32_stmxcsr();

        __builtin_ia32_ldmxcsr(mode | 0x2000); /* downward */
        assert_int_equal(context_step_aside(1 << 16, run_with_modes, NULL), 0);
        assert_int_equal(__builtin_ia32_stmxcsr() & 0x6000, 0x2000);
        __builtin_ia32_ldmxcsr(mode);
        assert_int_equal(seen_mode & 0x6000, 0x2000);
}

/* ---- stacks beside it */

TEST(two_contexts_take_turns) {
        Counter a = { .steps = 100 }, b = { .steps = 100 };

        assert_int_equal(context_new(1 << 16, 0, count_up, &a, &a.context), 0);
        assert_int_equal(context_new(1 << 16, 0, count_up, &b, &b.context), 0);
        for (unsigned i = 1; i <= 100; i++) {
                context_resume(a.context);
                context_resume(b.context);
                assert_int_equal(a.count, i);
                assert_int_equal(b.count, i);
        }
        context_free(a.context);
        context_free(b.context);
}

static uintptr_t stack_with_offset(size_t offset_bytes) {
        Counter counter = {};

        assert_int_equal(context_new(1 << 16, offset_bytes, count_up, &counter, &counter.context), 0);
        context_resume(counter.context);
        context_free(counter.context);
        return counter.stack;
}

/* The ABI wants 16 bytes; an offset moves the stack within its page, whatever address the mapping got. */
TEST(an_offset_moves_the_stack_and_keeps_it_aligned) {
        uintptr_t straight = stack_with_offset(0);

        for (size_t offset = 16; offset < 4096; offset += 16) {
                uintptr_t moved = stack_with_offset(offset);

                assert_int_equal(moved % 16, straight % 16);
                assert_int_equal((straight - moved) % 4096, offset);
        }
}

TEST(a_thread_does_as_a_context) {
        Counter a = { .steps = 3 }, b = { .steps = 1 };

        assert_int_equal(context_new_thread(1 << 16, count_up, &a, &a.context), 0);
        assert_int_equal(context_new_thread(1 << 16, count_up, &b, &b.context), 0);
        for (unsigned i = 1; i <= 3; i++) {
                context_resume(a.context);
                assert_int_equal(a.count, i);
        }
        context_resume(b.context);
        assert_int_equal(b.count, 1);
        for (unsigned i = 0; i < 2; i++) {
                context_resume(a.context);
                assert_int_equal(a.count, 1000);
        }
        assert_false(context_is_lost(a.context));
        context_free(a.context);
        context_free(b.context); /* which has not returned */
}

static void end_thread(void *argument) {
        pthread_exit(NULL);
}

TEST(a_thread_that_ends_itself_is_lost) {
        Context *context;

        assert_int_equal(context_new_thread(1 << 16, end_thread, NULL, &context), 0);
        assert_false(context_is_lost(context));
        context_resume(context);
        assert_true(context_is_lost(context));
        context_free(context);
}
