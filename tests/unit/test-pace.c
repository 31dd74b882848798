/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <time.h>

#include "runner/pace.h"
#include "test.h"

#define MS 1000000ull

static const ClockFacts clock_1ghz = { .hz = 1e9, .quantum_ticks = 1 };

static const RunnerSchedule usual = {
        .target_ns = 100000,
        .warmup_min_ns = 20 * MS,
        .warmup_max_ns = 1500 * MS,
        .budget_ns = 300 * MS,
        .samples = 50,
};

typedef struct Tale {
        unsigned n_batches;
        unsigned n_samples;
        unsigned n_quiet;    /* of them */
        unsigned n_known;    /* ... by the next batch */
        uint64_t iterations; /* of the last sample */
        uint64_t sample_ticks;
        uint64_t warmup_ticks;
} Tale;

static uint64_t overhead = 0; /* of a batch, beside its own time */

static bool primed = true;

static bool never(unsigned batch) {
        return false;
}

static bool (*is_shared)(unsigned batch) = never;

/* How a body would fare whose iterations take cost(batch number) ticks each. */
static Tale tell(const RunnerSchedule *schedule, const ClockFacts *clock, double (*cost)(unsigned batch)) {
        Tale tale = {};
        PaceStep step;
        Pace pace;

        pace_init(&pace, schedule, clock, UINT64_MAX);
        step = primed ? pace_first(&pace) : pace_first_unprimed(&pace);
        assert_int_equal(step.phase == RUNNER_PHASE_FIRST_CALL, primed);
        if (primed)
                assert_int_equal(step.iterations, 1);
        while (step.phase != RUNNER_PHASE_TEARDOWN) {
                uint64_t iterations = step.iterations;
                uint64_t ticks = cost(tale.n_batches) * iterations;

                assert_true(++tale.n_batches < 1000000);
                step = pace_next(&pace, &(PaceBatch){
                                                        .ticks = ticks,
                                                        .passed_ticks = ticks + overhead,
                                                        .shared = is_shared(tale.n_batches),
                                                        .n_quiet = tale.n_known,
                                        });
                if (step.fresh)
                        tale.n_samples = tale.n_quiet = tale.n_known = 0;
                if (step.record) {
                        tale.n_known = tale.n_quiet;
                        tale.n_samples++;
                        tale.n_quiet += !is_shared(tale.n_batches);
                        tale.iterations = iterations;
                        tale.sample_ticks = ticks;
                }
        }
        tale.warmup_ticks = pace.warmup_ticks;
        return tale;
}

static double constant_3(unsigned batch) {
        return 3;
}

TEST(a_steady_body_gets_batches_of_the_target_and_all_its_samples) {
        Tale tale = tell(&usual, &clock_1ghz, constant_3);

        assert_int_equal(tale.n_samples, 50);
        assert_in_range(tale.sample_ticks, 80000, 115000);
        assert_in_range(tale.warmup_ticks, 20 * MS, 21 * MS);
}

static double random_cost_value;

static double random_cost(unsigned batch) {
        return random_cost_value * (0.9 + 0.2 * drand48());
}

TEST(any_body_ends_with_three_samples_or_more_within_its_bounds) {
        long seed = time(NULL);

        printf("seed %ld\n", seed);
        srand48(seed);
        for (unsigned i = 0; i < 200; i++) {
                random_cost_value = 1 + drand48() * drand48() * drand48() * 5e8;
                Tale tale = tell(&usual, &clock_1ghz, random_cost);

                assert_in_range(tale.n_samples, 3, 50);
                assert_true(tale.sample_ticks * 1.6 >= 100000);
                assert_true(tale.warmup_ticks <= 1500 * MS + 6e8);
                if (tale.n_samples > 3)
                        assert_true(tale.n_samples * tale.sample_ticks * 0.8 <= 300 * MS);
        }
}

static double warms_up(unsigned batch) {
        return batch < 300 ? 20 : 3;
}

TEST(a_body_that_grows_faster_is_measured_when_it_has) {
        Tale tale = tell(&usual, &clock_1ghz, warms_up);

        assert_in_range(tale.sample_ticks, 80000, 115000);
}

static double wobbles(unsigned batch) {
        return 30 + batch / 8 % 2 * 10;
}

TEST(a_body_that_never_holds_still_is_measured_all_the_same) {
        Tale tale = tell(&usual, &clock_1ghz, wobbles);

        assert_int_equal(tale.n_samples, 50);
        assert_in_range(tale.warmup_ticks, 20 * MS, 1501 * MS);
}

static double two_seconds(unsigned batch) {
        return 2e9;
}

TEST(over_a_second_there_are_three_samples_and_no_warm_up) {
        Tale tale = tell(&usual, &clock_1ghz, two_seconds);

        assert_int_equal(tale.n_samples, 3);
        assert_int_equal(tale.n_batches, 4);
}

static double eleven_seconds(unsigned batch) {
        return 11e9;
}

TEST(over_ten_seconds_the_first_call_is_the_sample) {
        Tale tale = tell(&usual, &clock_1ghz, eleven_seconds);

        assert_int_equal(tale.n_samples, 1);
        assert_int_equal(tale.n_batches, 1);
        assert_int_equal(tale.iterations, 1);
}

TEST(given_iterations_are_never_changed) {
        RunnerSchedule schedule = usual;
        Tale tale;

        schedule.iterations = 7;
        tale = tell(&schedule, &clock_1ghz, constant_3);
        assert_int_equal(tale.iterations, 7);
        assert_int_equal(tale.n_samples, 50);
}

TEST(a_coarse_clock_makes_batches_longer) {
        const ClockFacts coarse = { .hz = 1e9, .quantum_ticks = 1000 };
        Tale tale = tell(&usual, &coarse, constant_3);

        assert_in_range(tale.sample_ticks, 800000, 1150000);
}

TEST(an_unprimed_body_has_all_its_samples_and_no_first_call) {
        Tale tale;

        primed = false;
        tale = tell(&usual, &clock_1ghz, constant_3);
        assert_int_equal(tale.n_samples, 50);
        assert_in_range(tale.sample_ticks, 80000, 115000);
        tale = tell(&usual, &clock_1ghz, two_seconds);
        assert_int_equal(tale.n_samples, 3);
        assert_int_equal(tale.n_batches, 4);
        tale = tell(&usual, &clock_1ghz, eleven_seconds);
        assert_int_equal(tale.n_batches, 1);
        assert_int_equal(tale.n_samples, 1);
        primed = true;
}

TEST(a_first_call_with_no_warm_up_is_followed_by_the_samples) {
        RunnerSchedule schedule = usual;
        Tale tale;

        schedule.samples = 3;
        schedule.iterations = 1;
        schedule.warmup_min_ns = schedule.warmup_max_ns = 0;
        tale = tell(&schedule, &clock_1ghz, constant_3);
        assert_int_equal(tale.n_batches, 1 + 3);
        assert_int_equal(tale.n_samples, 3);
        primed = false;
        tale = tell(&schedule, &clock_1ghz, constant_3);
        assert_int_equal(tale.n_batches, 3);
        primed = true;
}

static double ten_milliseconds(unsigned batch) {
        return 10 * MS;
}

TEST(without_warm_up_the_first_batch_of_a_given_count_is_a_sample) {
        RunnerSchedule schedule = usual;
        Tale tale;

        schedule.iterations = 7;
        schedule.warmup_min_ns = schedule.warmup_max_ns = 0;
        primed = false;
        tale = tell(&schedule, &clock_1ghz, constant_3);
        assert_int_equal(tale.n_samples, 50);
        assert_int_equal(tale.n_batches, 50);
        tale = tell(&schedule, &clock_1ghz, ten_milliseconds); /* 70 ms a batch, of 300 */
        assert_int_equal(tale.n_samples, 4);
        primed = true;
}

/* As of a body whose state is reset after each short batch. */
TEST(a_batch_of_next_to_no_time_is_warmed_up_by_the_clock_on_the_wall) {
        RunnerSchedule schedule = usual;
        Tale tale;

        schedule.iterations = 1;
        overhead = 5000;
        tale = tell(&schedule, &clock_1ghz, constant_3);
        overhead = 0;
        assert_int_equal(tale.n_samples, 50);
        assert_in_range(tale.n_batches, 4000, 4200);
}

/* A millisecond of pause in each iteration of 5 ns: 20000 of them would take 20 s a batch. */
TEST(pauses_do_not_make_a_batch_outlast_the_budget) {
        const RunnerSchedule schedule = { .target_ns = 100000,
                .warmup_min_ns = 20 * MS,
                .warmup_max_ns = 1500 * MS,
                .budget_ns = 300 * MS,
                .samples = 50 };
        PaceStep step;
        Pace pace;
        uint64_t passed = 0;
        unsigned n_samples = 0;

        pace_init(&pace, &schedule, &clock_1ghz, UINT64_MAX);
        for (step = pace_first(&pace); step.phase != RUNNER_PHASE_TEARDOWN; n_samples += step.record) {
                uint64_t ticks = 5 * step.iterations;

                passed += step.iterations * MS;
                step = pace_next(&pace, &(PaceBatch){ .ticks = ticks, .passed_ticks = ticks + step.iterations * MS });
        }
        assert_true(pace.crowded);
        assert_true(n_samples >= 3);
        assert_true(passed < 3000 * MS);
}

/* What a target beyond the budget takes is wanted, on both sides of a comparison. */
TEST(a_wanted_length_is_reached_whatever_the_budget) {
        const RunnerSchedule schedule = { .target_ns = 1000 * MS,
                .warmup_max_ns = 1500 * MS,
                .budget_ns = 300 * MS,
                .samples = 50 };
        PaceStep step;
        Pace pace;
        uint64_t ticks = 0;

        pace_init(&pace, &schedule, &clock_1ghz, UINT64_MAX);
        for (step = pace_first(&pace); step.phase != RUNNER_PHASE_TEARDOWN;) {
                ticks = 1000 * step.iterations;
                step = pace_next(&pace, &(PaceBatch){ .ticks = ticks, .passed_ticks = 3 * ticks });
        }
        assert_false(pace.crowded);
        assert_true(ticks >= 800 * MS);
}

/* ---- what grows */

static uint64_t grown; /* iterations so far */

static double scans_what_it_appended(unsigned batch) {
        return 3 + grown / 10.0;
}

static double warms_its_caches(unsigned batch) {
        return batch < 12 ? 300 : 3;
}

static double rise_of(double (*cost)(unsigned batch)) {
        unsigned n = 0;
        PaceStep step;
        Pace pace;

        grown = 0;
        pace_init(&pace, &usual, &clock_1ghz, UINT64_MAX);
        for (step = pace_first(&pace); step.phase != RUNNER_PHASE_TEARDOWN && n < 100000; n++) {
                uint64_t ticks = cost(n) * step.iterations;

                grown += step.iterations;
                step = pace_next(&pace, &(PaceBatch){ .ticks = ticks, .passed_ticks = ticks });
        }
        return pace_rise(&pace);
}

TEST(a_body_that_takes_longer_the_more_often_it_ran_is_told_from_one_that_warms_up) {
        assert_true(rise_of(scans_what_it_appended) > 3);
        assert_true(rise_of(constant_3) == 0);
        assert_true(rise_of(warms_its_caches) == 0);
        srand48(1);
        random_cost_value = 20;
        for (unsigned i = 0; i < 1000; i++)
                assert_true(rise_of(random_cost) == 0);
}

/* ---- beside a neighbour */

static const RunnerSchedule seeks_quiet = {
        .target_ns = 25000,
        .warmup_min_ns = 8 * MS,
        .warmup_max_ns = 1500 * MS,
        .budget_ns = 300 * MS,
        .samples = 200,
        .quiet_samples = 60,
        .samples_most = 4096,
        .quiet_ns = 100 * MS,
};

static bool nine_of_ten(unsigned batch) {
        return batch % 10 != 0;
}

static bool always(unsigned batch) {
        return true;
}

static Tale tell_beside(bool (*shared)(unsigned batch)) {
        Tale tale;

        is_shared = shared;
        overhead = 20000;
        tale = tell(&seeks_quiet, &clock_1ghz, constant_3);
        overhead = 0;
        is_shared = never;
        return tale;
}

TEST(sampling_goes_on_until_enough_had_the_core_alone) {
        Tale tale = tell_beside(nine_of_ten);

        assert_true(tale.n_samples > 590);
        assert_in_range(tale.n_quiet, 60, 62);
}

TEST(a_neighbour_that_never_goes_is_waited_for_as_long_as_said_and_no_longer) {
        Tale tale = tell_beside(always);

        assert_int_equal(tale.n_quiet, 0);
        assert_in_range(tale.n_samples * 45000ull, 90 * MS, 110 * MS);
        assert_true(tale.warmup_ticks <= 20 * MS); /* what cannot be judged is not waited for either */
}

TEST(without_a_neighbour_there_are_as_many_samples_as_wanted_and_some_are_of_the_warm_up) {
        Tale tale = tell_beside(never);

        assert_int_equal(tale.n_samples, 200);
        assert_true(tale.n_batches * 45000ull < 8 * MS + 140 * 45000ull);
}

/* Half way through what would be warm-up samples the body gets quicker. */
static double settles_late(unsigned batch) {
        return batch < 120 ? 5 : 3;
}

TEST(samples_of_a_warm_up_that_did_not_hold_still_are_forgotten) {
        Tale tale;

        overhead = 20000;
        tale = tell(&seeks_quiet, &clock_1ghz, settles_late);
        overhead = 0;
        assert_int_equal(tale.n_samples, 200);
        assert_true(tale.n_batches > 320);
}

TEST(few_samples_are_as_many_as_asked_for) {
        for (unsigned n = 1; n < 10; n++) {
                RunnerSchedule schedule = seeks_quiet;

                schedule.samples = n;
                schedule.quiet_samples = 1;
                assert_int_equal(tell(&schedule, &clock_1ghz, constant_3).n_samples, n);
        }
}
