/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps: mean and deviation of each count of iterations, and the last one alone. */

#include "front/samples/method-steps.h"

#include "test.h"

static const ClockFacts clock_facts = { .hz = 1e9, .batch_cost_ticks = 10 };

static SampleBlock *block;

static int set_up(void **state) {
        block = calloc(1, sizeof *block);
        if (!block)
                return -1;
        block->n_threads = 1;
        block->threads[0].ops_per_iteration = 1;
        return 0;
}

static int tear_down(void **state) {
        free(block);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void add_sample(uint64_t iterations, uint64_t ns_each) {
        block->samples[block->n_samples++] = (Sample){ .iterations = iterations, .ticks = 10 + iterations * ns_each };
}

TEST(each_count_has_its_mean_and_deviation) {
        MethodSteps steps;

        for (unsigned i = 0; i < 3; i++)
                add_sample(2, 10 + i);
        add_sample(4, 7);
        add_sample(4, 9);
        add_sample(8, 5);
        assert_int_equal(method_steps_of(block, &clock_facts, &steps), 0);
        assert_int_equal(steps.n, 3);
        assert_int_equal(steps.rows[0].iterations, 2);
        assert_int_equal(steps.rows[0].samples, 3);
        assert_true(fabs(steps.rows[0].mean_ns - 11) < 1e-9);
        assert_true(fabs(steps.rows[0].stddev_ns - 1) < 1e-9);
        assert_true(fabs(steps.rows[1].mean_ns - 8) < 1e-9);
        assert_true(fabs(steps.rows[1].stddev_ns - sqrt(2)) < 1e-9);
        assert_int_equal(steps.rows[2].iterations, 8);
        assert_int_equal(steps.rows[2].samples, 1);
}

TEST(the_last_count_is_left_alone_in_a_copy) {
        _cleanup_(freep) SampleBlock *last = NULL;

        add_sample(2, 10);
        add_sample(2, 10);
        add_sample(4, 7);
        add_sample(4, 9);
        assert_int_equal(method_steps_copy_last(block, &last), 0);
        assert_int_equal(block->n_samples, 4);
        assert_int_equal(last->n_samples, 2);
        assert_int_equal(last->samples[0].ticks, 10 + 28);
        assert_int_equal(last->samples[1].ticks, 10 + 36);
}
