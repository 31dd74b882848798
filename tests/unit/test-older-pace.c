/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The paces of older harnesses: which counts there are, which batches are samples, and where each of them ends.
 */

#include "runner/older-pace.h"

#include <time.h>

#include "ops/runner-plan.h"
#include "test.h"

#define MS        1000000ull
#define TALE_MAX  4096u
#define INT_BOUND ((UINT64_C(1) << 30) - 1)

static const ClockFacts clock_1ghz = { .hz = 1e9, .quantum_ticks = 1 };

/* The counts of the samples that were left at the end, and of what was not recorded. */
typedef struct Tale {
        uint64_t counts[TALE_MAX];
        unsigned n;
        unsigned n_unrecorded;
        uint64_t last_unrecorded;
        bool had_first_call;
} Tale;

static Tale tale;

/* A body whose iterations take @cost ticks each; @passed times that pass. */
static void tell(const RunnerSchedule *schedule, double cost, double passed, bool primed, uint64_t iterations_max) {
        OlderPace pace;
        PaceStep step;

        older_pace_init(&pace, schedule, &clock_1ghz, iterations_max);
        step = primed ? older_pace_first(&pace) : older_pace_first_unprimed(&pace);
        tale = (Tale){ .had_first_call = step.phase == RUNNER_PHASE_FIRST_CALL };
        while (step.phase != RUNNER_PHASE_TEARDOWN) {
                uint64_t iterations = step.iterations;

                assert_in_range(iterations, 1, iterations_max);
                step = older_pace_next(&pace, cost * iterations, passed * cost * iterations);
                if (!step.record) {
                        tale.n_unrecorded++;
                        tale.last_unrecorded = iterations;
                        continue;
                }
                tale.n = step.fresh ? 0 : tale.n;
                assert_true(tale.n < TALE_MAX);
                tale.counts[tale.n++] = iterations;
        }
}

static const RunnerSchedule mark = {
        .pace = RUNNER_PACE_ALL_STEPS,
        .samples = 10,
        .iterations = 2,
        .growth = 2,
        .iterations_last = INT_BOUND,
        .target_ns = 250 * MS,
        .budget_ns = 60000 * MS,
};

TEST(counts_double_from_two_until_the_last_of_ten_takes_a_quarter_of_a_second) {
        tell(&mark, 30, 1, false, UINT64_MAX);
        assert_false(tale.had_first_call);
        assert_int_equal(tale.n_unrecorded, 0);
        assert_int_equal(tale.n, 230);
        for (unsigned i = 0; i < tale.n; i++)
                assert_int_equal(tale.counts[i], UINT64_C(2) << i / 10);
        assert_int_equal(tale.counts[tale.n - 1], 8388608); /* as in Sestoft's own table, of 30.3 ns */
}

TEST(of_the_last_step_alone_its_ten_samples_are_left) {
        RunnerSchedule schedule = mark;

        schedule.pace = RUNNER_PACE_LAST_STEP;
        tell(&schedule, 30, 1, false, UINT64_MAX);
        assert_int_equal(tale.n, 10);
        for (unsigned i = 0; i < tale.n; i++)
                assert_int_equal(tale.counts[i], 8388608);
}

TEST(a_count_ends_where_his_int_does) {
        RunnerSchedule schedule = mark;

        schedule.pace = RUNNER_PACE_LAST_STEP;
        schedule.budget_ns = 3600000 * MS;
        tell(&schedule, 0.001, 1, false, UINT64_MAX);
        assert_int_equal(tale.counts[0], 1 << 30);
        tell(&schedule, 30, 1, false, 1000);
        assert_int_equal(tale.counts[0], 1000);
}

TEST(no_count_is_multiplied_whose_batches_would_outlast_the_budget) {
        RunnerSchedule schedule = mark;

        schedule.budget_ns = 1 * MS; /* 10 * 30 * (2 + 4 + ... + 1024) ticks are 0.6 ms, with 2048 they are 1.2 */
        tell(&schedule, 30, 1, false, UINT64_MAX);
        assert_int_equal(tale.counts[tale.n - 1], 1024);
        assert_int_equal(tale.n, 100);
        tell(&schedule, 30, 8, false, UINT64_MAX); /* seven of eight ticks are paused */
        assert_int_equal(tale.counts[tale.n - 1], 128);
        schedule.samples = 3;
        schedule.budget_ns = 1;
        tell(&schedule, 30, 1, false, UINT64_MAX);
        assert_int_equal(tale.n, 3);
}

static const RunnerSchedule softwx = {
        .pace = RUNNER_PACE_SEARCH,
        .samples = 5,
        .iterations = 1,
        .growth = 10,
        .iterations_last = 1000000000,
        .target_ns = 1 * MS,
        .least_ns = 5000 * MS,
        .budget_ns = 60000 * MS,
};

TEST(a_search_multiplies_by_ten_until_a_call_takes_over_a_millisecond) {
        tell(&softwx, 30, 1, true, UINT64_MAX);
        assert_true(tale.had_first_call);
        assert_int_equal(tale.n_unrecorded, 1 + 6); /* 1, 10, ..., 100000 */
        assert_int_equal(tale.last_unrecorded, 100000);
        assert_int_equal(tale.n, 1667); /* of 3 ms, for 5000 ms */
        assert_int_equal(tale.counts[0], 100000);
}

TEST(calls_are_five_however_long_they_take) {
        tell(&softwx, 2000 * MS, 1, true, UINT64_MAX);
        assert_int_equal(tale.n, 5);
        assert_int_equal(tale.counts[0], 1);
}

TEST(a_search_ends_at_ten_to_the_ninth_and_sampling_at_what_a_block_holds) {
        RunnerSchedule schedule = softwx;

        tell(&schedule, 0.0001, 1, true, UINT64_MAX);
        assert_int_equal(tale.counts[0], 1000000000);
        schedule.pace = RUNNER_PACE_FIXED;
        schedule.iterations = 100;
        tell(&schedule, 1, 1, true, UINT64_MAX);
        assert_int_equal(tale.n, RUNNER_SAMPLES_MAX);
}

TEST(what_is_paused_is_not_of_the_least_time_but_of_the_budget) {
        RunnerSchedule schedule = softwx;

        tell(&schedule, 30, 2, true, UINT64_MAX);
        assert_int_equal(tale.n, 1667);
        schedule.budget_ns = 1000 * MS;
        tell(&schedule, 30, 2, true, UINT64_MAX);
        assert_in_range(tale.n, 160, 170); /* of 6 ms each */
}

static const RunnerSchedule measureit = {
        .pace = RUNNER_PACE_FIXED,
        .samples = 10,
        .iterations = 1000,
        .long_ns = MS / 10,
        .target_ns = MS,
        .budget_ns = 60000 * MS,
};

TEST(a_given_count_is_kept_unless_the_first_call_is_long) {
        tell(&measureit, 30, 1, true, UINT64_MAX);
        assert_int_equal(tale.n_unrecorded, 1);
        assert_int_equal(tale.n, 10);
        assert_int_equal(tale.counts[0], 1000);
        tell(&measureit, 2 * MS, 1, true, UINT64_MAX);
        assert_int_equal(tale.n, 3);
        assert_int_equal(tale.counts[0], 1);
}

TEST(a_warm_up_by_the_clock_is_none_of_the_samples) {
        RunnerSchedule schedule = { .pace = RUNNER_PACE_FIXED,
                .samples = 20,
                .iterations = 1,
                .target_ns = MS,
                .warmup_min_ns = 1200 * MS,
                .warmup_max_ns = 1200 * MS,
                .budget_ns = 60000 * MS };

        tell(&schedule, 100 * MS, 1, false, UINT64_MAX);
        assert_int_equal(tale.n_unrecorded, 12);
        assert_int_equal(tale.n, 20);
        schedule.warmup_min_ns = 0;
        tell(&schedule, 100 * MS, 1, false, UINT64_MAX);
        assert_int_equal(tale.n_unrecorded, 0);
        assert_int_equal(tale.n, 20);
}

/* Whatever the body, a pace ends, and the last samples are of one count. */
TEST(any_body_comes_to_its_end_with_three_samples_or_more) {
        const RunnerSchedule *const schedules[] = { &mark, &softwx, &measureit };
        long seed = time(NULL);

        printf("seed %ld\n", seed);
        srand48(seed);
        for (unsigned i = 0; i < 300; i++) {
                RunnerSchedule schedule = *schedules[i % 3];

                schedule.samples = 3 + lrand48() % 20;
                schedule.budget_ns = 1 + drand48() * 60000 * MS;
                tell(&schedule, drand48() * drand48() * drand48() * 5e9, 1 + drand48(), i % 2, 1 + lrand48());
                assert_true(tale.n >= 3);
                assert_int_equal(tale.counts[tale.n - 1], tale.counts[tale.n - 3]);
        }
}
