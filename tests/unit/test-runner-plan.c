/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The check of a plan: a good one passes, and each field out of its range is enough to refuse it. */

#include "ops/runner-plan.h"

#include "test.h"

static RunnerPlan plan_good(void) {
        return (RunnerPlan){
                .magic = RUNNER_PLAN_MAGIC,
                .version = RUNNER_PLAN_VERSION,
                .mode = RUNNER_MODE_RUN,
                .n_threads = 1,
                .clock = { .hz = 3e9, .error_ppm = 0.1, .quantum_ticks = 26, .batch_cost_ticks = 60 },
                .schedule = {
                        .target_ns = 100000,
                        .warmup_min_ns = 20000000,
                        .warmup_max_ns = 1500000000,
                        .budget_ns = 300000000,
                        .samples = 50,
                },
                .n_sides = 1,
                .sides = { { .area = "strings", .benchmark = "strlen" } },
                .environment = "A=1\0B=2\0",
        };
}

TEST(a_good_plan_passes) {
        RunnerPlan plan = plan_good();

        assert_int_equal(runner_plan_check(&plan), 0);
}

/* Spoils a good plan, one way each. */
#define REFUSED(...)                                                                                                   \
 do {                                                                                                                  \
  RunnerPlan plan = plan_good();                                                                                       \
  __VA_ARGS__;                                                                                                         \
  print_message("%s\n", #__VA_ARGS__);                                                                                 \
  assert_int_equal(runner_plan_check(&plan), RUNNER_PLAN_E_INVALID);                                                   \
 } while (0)

TEST(each_field_out_of_range_is_enough_to_refuse) {
        REFUSED(plan.magic++);
        REFUSED(strcpy(plan.directory, "relative"));
        REFUSED(memset(plan.directory, '/', sizeof plan.directory));
        REFUSED(strcpy(plan.seen[1], "/srv/../etc"));
        REFUSED(memset(plan.seen[RUNNER_SEEN_MAX - 1], 'd', sizeof plan.seen[0]);
                        plan.seen[RUNNER_SEEN_MAX - 1][0] = '/');
        REFUSED(plan.version++);
        REFUSED(plan.mode = 0);
        REFUSED(plan.mode = _RUNNER_MODE_N);
        REFUSED(plan.options = _RUNNER_OPTIONS + 1);
        REFUSED(plan.n_threads = 0);
        REFUSED(plan.n_threads = RUNNER_THREADS_MAX + 1);
        REFUSED(plan.n_threads = 2; plan.schedule.samples = RUNNER_SAMPLES_MAX / 2 + 1);
        REFUSED(plan.own_cpus = RUNNER_THREADS_MAX);
        REFUSED(plan.n_threads = 2; plan.own_cpus = 1);
        REFUSED(plan.n_sides = 2; plan.own_cpus = 1);
        REFUSED(plan.n_groups = RUNNER_GROUPS_MAX + 1);
        REFUSED(plan.n_suspects = RUNNER_SUSPECTS_MAX + 1);
        REFUSED(plan.sides[0].n_args = RUNNER_ARGS_MAX + 1);
        REFUSED(plan.sides[0].args[3].kind = _ARGUMENT_KIND_N);
        REFUSED(plan.sides[0].args[0] = argument_real(NAN));
        REFUSED(plan.sides[0].args[0] = argument_text("a=b"));
        REFUSED(plan.sides[0].n_libraries = RUNNER_LIBRARIES_MAX + 1);
        REFUSED(plan.n_preloaded[0] = RUNNER_LIBRARIES_MAX + 1);
        REFUSED(memset(plan.library_names[RUNNER_LIBRARIES_MAX - 1], 'x', RUNNER_LIBRARY_NAME_MAX));
        REFUSED(plan.n_inputs = RUNNER_INPUTS_MAX + 1);
        REFUSED(memset(plan.input_names[RUNNER_INPUTS_MAX - 1], 'x', RUNNER_INPUT_NAME_MAX));
        REFUSED(plan.n_inputs = 1);
        REFUSED(plan.n_inputs = 1; strcpy(plan.input_names[0], "../x"));
        REFUSED(plan.n_inputs = 1; strcpy(plan.input_names[0], ".."));
        REFUSED(plan.n_sides = 0);
        REFUSED(plan.n_sides = RUNNER_SIDES_MAX + 1);
        REFUSED(plan.first_side = 1);
        REFUSED(plan.n_sides = 2; memset(plan.sides[1].benchmark, 'x', sizeof plan.sides[1].benchmark));
        REFUSED(plan.n_sides = 2; plan.n_threads = 2);
        REFUSED(plan.n_sides = 2; plan.sides[0].n_libraries = RUNNER_LIBRARIES_MAX; plan.sides[1].n_libraries = 1);
        REFUSED(plan.stack_offset_bytes = RUNNER_STACK_OFFSET_MAX);
        REFUSED(plan.stack_offset_bytes = 8);
        REFUSED(plan.sides[0].heap_offset_bytes = RUNNER_HEAP_OFFSET_MAX);
        REFUSED(plan.sides[0].image_offset_bytes = RUNNER_IMAGE_OFFSET_MAX);
        REFUSED(plan.asked.stack_bytes = (UINT64_C(1) << 20) - 1);
        REFUSED(plan.asked.stack_bytes = (UINT64_C(64) << 30) + 1);
        REFUSED(plan.n_sides = 2; plan.sides[1].image_offset_bytes = 8);
        REFUSED(plan.n_sides = 2; plan.sides[1].heap_offset_bytes = 8);
        REFUSED(plan.environment_padding_bytes = RUNNER_PADDING_MAX);
        REFUSED(memset(plan.sides[0].area, 'x', sizeof plan.sides[0].area));
        REFUSED(memset(plan.sides[0].benchmark, 'x', sizeof plan.sides[0].benchmark));
        REFUSED(memset(plan.environment, 'x', sizeof plan.environment));
        REFUSED(memset(plan.environment, 'x', sizeof plan.environment - 1));
        REFUSED(plan.clock.hz = NAN);
        REFUSED(plan.clock.hz = -1);
        REFUSED(plan.clock.quantum_ticks = INFINITY);
        REFUSED(plan.clock.batch_cost_ticks = NAN);
        REFUSED(plan.clock.source = _CLOCK_SOURCE_N);
        REFUSED(plan.clock.missing = _CLOCK_MISSING + 1);
        REFUSED(plan.schedule.target_ns = 0);
        REFUSED(plan.schedule.samples = 0);
        REFUSED(plan.schedule.samples = RUNNER_SAMPLES_MAX + 1);
        REFUSED(plan.schedule.warmup_min_ns = plan.schedule.warmup_max_ns + 1);
        REFUSED(plan.schedule.budget_ns = 0);
}

TEST(every_limit_itself_is_allowed) {
        RunnerPlan plan = plan_good();

        plan.n_groups = RUNNER_GROUPS_MAX;
        plan.n_suspects = RUNNER_SUSPECTS_MAX;
        plan.sides[0].n_args = RUNNER_ARGS_MAX;
        plan.sides[0].n_libraries = RUNNER_LIBRARIES_MAX;
        plan.stack_offset_bytes = RUNNER_STACK_OFFSET_MAX - 16;
        plan.environment_padding_bytes = RUNNER_PADDING_MAX - 1;
        plan.schedule.samples = RUNNER_SAMPLES_MAX;
        plan.schedule.warmup_min_ns = plan.schedule.warmup_max_ns;
        memset(plan.sides[0].area, 'x', sizeof plan.sides[0].area - 1);
        memset(plan.environment, 'x', sizeof plan.environment - 2);
        memset(plan.library_names[0], 'x', RUNNER_LIBRARY_NAME_MAX - 1);
        assert_int_equal(runner_plan_check(&plan), 0);
}

TEST(modes_that_do_not_sample_need_no_schedule) {
        static const RunnerMode modes[] = { RUNNER_MODE_LIST, RUNNER_MODE_CALIBRATE };

        for (size_t i = 0; i < N_ELEMENTS(modes); i++) {
                RunnerPlan plan = plan_good();

                plan.mode = modes[i];
                plan.schedule = (RunnerSchedule){};
                plan.clock = (ClockFacts){};
                assert_int_equal(runner_plan_check(&plan), 0);
        }
}

/* Whatever the bytes: the check neither reads beyond the plan nor lets through a string without its end. */
TEST(random_bytes_never_pass_with_a_string_unended) {
        srandom(4711);
        for (unsigned round = 0; round < 2000; round++) {
                RunnerPlan plan = plan_good();

                for (unsigned i = 0; i < 3; i++)
                        ((unsigned char *)&plan)[random() % sizeof plan] = random();
                if (runner_plan_check(&plan) != 0)
                        continue;
                assert_non_null(memchr(plan.sides[0].area, 0, sizeof plan.sides[0].area));
                assert_non_null(memchr(plan.sides[0].benchmark, 0, sizeof plan.sides[0].benchmark));
                assert_true(plan.schedule.samples >= 1 && plan.schedule.samples <= RUNNER_SAMPLES_MAX);
        }
}

TEST(the_area_of_a_file_is_a_name) {
        static const struct {
                const char *file, *area;
        } rows[] = {
                { "strings.c", "strings" },
                { "/a/b.c/data-access_2+x.cc", "data-access_2+x" },
                { "../my file (1).c", "my_file__1_" },
                { "x.y.c", "x" },
                { "no-ending", "no-ending" },
                { ".c", "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                char area[RUNNER_NAME_MAX];

                runner_plan_area_of_file(rows[i].file, area);
                assert_string_equal(area, rows[i].area);
        }
}
