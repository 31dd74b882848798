/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs: the ticks and the time of each batch by itself, and the share by which the longest exceeds the shortest. */

#include "front/samples/method-runs.h"

#include "test.h"

static const ClockFacts clock_2ghz = { .hz = 2e9, .batch_cost_ticks = 10 };

typedef struct Case {
        SampleBlock block;
        MethodRuns runs;
} Case;

static int set_up(void **state) {
        Case *made = calloc(1, sizeof *made);

        if (!made)
                return -1;
        made->block.n_threads = 1;
        made->block.threads[0].ops_per_iteration = 2;
        *state = made;
        return 0;
}

static int tear_down(void **state) {
        free(*state);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void add_sample(SampleBlock *block, uint32_t thread, uint64_t ticks, uint64_t paused_ticks) {
        block->samples[block->n_samples++] = (Sample){ .iterations = 4,
                .ticks = ticks + paused_ticks + 10,
                .paused_ticks = paused_ticks,
                .thread = thread };
}

TEST(each_run_is_without_its_pauses_and_its_own_cost) {
        Case *made = *state;

        add_sample(&made->block, 0, 1600, 0);
        add_sample(&made->block, 0, 1200, 700);
        method_runs_of(&made->block, &clock_2ghz, &made->runs);
        assert_int_equal(made->runs.n, 2);
        assert_true(made->runs.rows[0].ticks == 1600 && made->runs.rows[1].ticks == 1200);
        assert_true(fabs(made->runs.rows[1].elapsed_ns - 600) < 1e-9);
        assert_true(fabs(made->runs.rows[1].time_ns - 75) < 1e-9);
        assert_true(fabs(method_runs_spread(&made->runs) - 1.0 / 3) < 1e-12);
}

TEST(of_several_threads_the_first_has_its_runs_told) {
        Case *made = *state;

        made->block.n_threads = 2;
        made->block.threads[1].ops_per_iteration = 2;
        for (uint64_t i = 0; i < 6; i++)
                add_sample(&made->block, i % 2, 1000 + 1000 * (i % 2), 0);
        method_runs_of(&made->block, &clock_2ghz, &made->runs);
        assert_int_equal(made->runs.n, 3);
        assert_true(method_runs_spread(&made->runs) == 0);
}

TEST(one_run_and_what_takes_no_time_have_no_spread) {
        Case *made = *state;

        add_sample(&made->block, 0, 1600, 0);
        method_runs_of(&made->block, &clock_2ghz, &made->runs);
        assert_true(isnan(method_runs_spread(&made->runs)));
        made->block.samples[made->block.n_samples++] = (Sample){ .iterations = 4, .ticks = 10 };
        method_runs_of(&made->block, &clock_2ghz, &made->runs);
        assert_true(isnan(method_runs_spread(&made->runs)));
}
