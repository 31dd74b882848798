/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "ops/runner-plan.h"
#include "runner/time/pace.h"

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
        seed_random();
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

/* The paces of older harnesses: which counts there are, which batches are samples, and where each of them ends. */

#define MS        1000000ull
#define TALE_MAX  4096u
#define INT_BOUND ((UINT64_C(1) << 30) - 1)

/* The counts of the samples that were left at the end, and of what was not recorded. */
typedef struct OlderTale {
        uint64_t counts[TALE_MAX];
        unsigned n;
        unsigned n_unrecorded;
        uint64_t last_unrecorded;
        bool had_first_call;
} OlderTale;

static OlderTale tale;

/* A body whose iterations take @cost ticks each; @passed times that pass. */
static void tell_older(const RunnerSchedule *schedule, double cost, double passed, bool apart,
                uint64_t iterations_max) {
        PaceOlder pace;
        PaceStep step;

        pace_older_init(&pace, schedule, &clock_1ghz, iterations_max);
        step = apart ? pace_older_first(&pace) : pace_older_first_unprimed(&pace);
        tale = (OlderTale){ .had_first_call = step.phase == RUNNER_PHASE_FIRST_CALL };
        while (step.phase != RUNNER_PHASE_TEARDOWN) {
                uint64_t iterations = step.iterations;

                assert_in_range(iterations, 1, iterations_max);
                step = pace_older_next(&pace, cost * iterations, passed * cost * iterations);
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
        tell_older(&mark, 30, 1, false, UINT64_MAX);
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
        tell_older(&schedule, 30, 1, false, UINT64_MAX);
        assert_int_equal(tale.n, 10);
        for (unsigned i = 0; i < tale.n; i++)
                assert_int_equal(tale.counts[i], 8388608);
}

TEST(a_count_ends_where_his_int_does) {
        RunnerSchedule schedule = mark;

        schedule.pace = RUNNER_PACE_LAST_STEP;
        schedule.budget_ns = 3600000 * MS;
        tell_older(&schedule, 0.001, 1, false, UINT64_MAX);
        assert_int_equal(tale.counts[0], 1 << 30);
        tell_older(&schedule, 30, 1, false, 1000);
        assert_int_equal(tale.counts[0], 1000);
}

TEST(no_count_is_multiplied_whose_batches_would_outlast_the_budget) {
        RunnerSchedule schedule = mark;

        schedule.budget_ns = 1 * MS; /* 10 * 30 * (2 + 4 + ... + 1024) ticks are 0.6 ms, with 2048 they are 1.2 */
        tell_older(&schedule, 30, 1, false, UINT64_MAX);
        assert_int_equal(tale.counts[tale.n - 1], 1024);
        assert_int_equal(tale.n, 100);
        tell_older(&schedule, 30, 8, false, UINT64_MAX); /* seven of eight ticks are paused */
        assert_int_equal(tale.counts[tale.n - 1], 128);
        schedule.samples = 3;
        schedule.budget_ns = 1;
        tell_older(&schedule, 30, 1, false, UINT64_MAX);
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
        tell_older(&softwx, 30, 1, true, UINT64_MAX);
        assert_true(tale.had_first_call);
        assert_int_equal(tale.n_unrecorded, 1 + 6); /* 1, 10, ..., 100000 */
        assert_int_equal(tale.last_unrecorded, 100000);
        assert_int_equal(tale.n, 1667); /* of 3 ms, for 5000 ms */
        assert_int_equal(tale.counts[0], 100000);
}

TEST(calls_are_five_however_long_they_take) {
        tell_older(&softwx, 2000 * MS, 1, true, UINT64_MAX);
        assert_int_equal(tale.n, 5);
        assert_int_equal(tale.counts[0], 1);
}

TEST(a_search_ends_at_ten_to_the_ninth_and_sampling_at_what_a_block_holds) {
        RunnerSchedule schedule = softwx;

        tell_older(&schedule, 0.0001, 1, true, UINT64_MAX);
        assert_int_equal(tale.counts[0], 1000000000);
        schedule.pace = RUNNER_PACE_FIXED;
        schedule.iterations = 100;
        tell_older(&schedule, 1, 1, true, UINT64_MAX);
        assert_int_equal(tale.n, RUNNER_SAMPLES_MAX);
}

TEST(what_is_paused_is_not_of_the_least_time_but_of_the_budget) {
        RunnerSchedule schedule = softwx;

        tell_older(&schedule, 30, 2, true, UINT64_MAX);
        assert_int_equal(tale.n, 1667);
        schedule.budget_ns = 1000 * MS;
        tell_older(&schedule, 30, 2, true, UINT64_MAX);
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
        tell_older(&measureit, 30, 1, true, UINT64_MAX);
        assert_int_equal(tale.n_unrecorded, 1);
        assert_int_equal(tale.n, 10);
        assert_int_equal(tale.counts[0], 1000);
        tell_older(&measureit, 2 * MS, 1, true, UINT64_MAX);
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

        tell_older(&schedule, 100 * MS, 1, false, UINT64_MAX);
        assert_int_equal(tale.n_unrecorded, 12);
        assert_int_equal(tale.n, 20);
        schedule.warmup_min_ns = 0;
        tell_older(&schedule, 100 * MS, 1, false, UINT64_MAX);
        assert_int_equal(tale.n_unrecorded, 0);
        assert_int_equal(tale.n, 20);
}

/* Whatever the body, a pace ends, and the last samples are of one count. */
TEST(any_body_comes_to_its_end_with_three_samples_or_more) {
        const RunnerSchedule *const schedules[] = { &mark, &softwx, &measureit };
        seed_random();
        for (unsigned i = 0; i < 300; i++) {
                RunnerSchedule schedule = *schedules[i % 3];

                schedule.samples = 3 + lrand48() % 20;
                schedule.budget_ns = 1 + drand48() * 60000 * MS;
                tell_older(&schedule, drand48() * drand48() * drand48() * 5e9, 1 + drand48(), i % 2, 1 + lrand48());
                assert_true(tale.n >= 3);
                assert_int_equal(tale.counts[tale.n - 1], tale.counts[tale.n - 3]);
        }
}
