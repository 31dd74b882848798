/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The check of a plan: a good one passes, and each field out of its range is enough to refuse it.
 */

#include "ops/runner-plan.h"

#include <math.h>

#include "test.h"
#include "util/cleanup.h"

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

/* One way each to spoil a good plan. */
static void spoil_directory(RunnerPlan *plan) {
        strcpy(plan->directory, "relative");
}
static void spoil_directory_end(RunnerPlan *plan) {
        memset(plan->directory, '/', sizeof plan->directory);
}
static void spoil_seen(RunnerPlan *plan) {
        strcpy(plan->seen[1], "/srv/../etc");
}
static void spoil_seen_end(RunnerPlan *plan) {
        memset(plan->seen[RUNNER_SEEN_MAX - 1], 'd', sizeof plan->seen[0]);
        plan->seen[RUNNER_SEEN_MAX - 1][0] = '/';
}
static void spoil_magic(RunnerPlan *plan) {
        plan->magic++;
}
static void spoil_version(RunnerPlan *plan) {
        plan->version++;
}
static void spoil_mode_none(RunnerPlan *plan) {
        plan->mode = 0;
}
static void spoil_mode_beyond(RunnerPlan *plan) {
        plan->mode = _RUNNER_MODE_N;
}
static void spoil_options(RunnerPlan *plan) {
        plan->options = _RUNNER_OPTIONS + 1;
}
static void spoil_threads_none(RunnerPlan *plan) {
        plan->n_threads = 0;
}
static void spoil_threads_beyond(RunnerPlan *plan) {
        plan->n_threads = RUNNER_THREADS_MAX + 1;
}
static void spoil_threads_samples(RunnerPlan *plan) {
        plan->n_threads = 2;
        plan->schedule.samples = RUNNER_SAMPLES_MAX / 2 + 1;
}
static void spoil_own_cpus_beyond(RunnerPlan *plan) {
        plan->own_cpus = RUNNER_THREADS_MAX;
}
static void spoil_own_cpus_of_threads(RunnerPlan *plan) {
        plan->n_threads = 2;
        plan->own_cpus = 1;
}
static void spoil_own_cpus_of_sides(RunnerPlan *plan) {
        plan->n_sides = 2;
        plan->own_cpus = 1;
}
static void spoil_groups(RunnerPlan *plan) {
        plan->n_groups = RUNNER_GROUPS_MAX + 1;
}
static void spoil_suspects(RunnerPlan *plan) {
        plan->n_suspects = RUNNER_SUSPECTS_MAX + 1;
}
static void spoil_args(RunnerPlan *plan) {
        plan->sides[0].n_args = RUNNER_ARGS_MAX + 1;
}
static void spoil_arg_kind(RunnerPlan *plan) {
        plan->sides[0].args[3].kind = _ARGUMENT_KIND_N;
}
static void spoil_arg_real(RunnerPlan *plan) {
        plan->sides[0].args[0] = argument_real(NAN);
}
static void spoil_arg_text(RunnerPlan *plan) {
        plan->sides[0].args[0] = argument_text("a=b");
}
static void spoil_libraries(RunnerPlan *plan) {
        plan->sides[0].n_libraries = RUNNER_LIBRARIES_MAX + 1;
}
static void spoil_preloaded(RunnerPlan *plan) {
        plan->n_preloaded[0] = RUNNER_LIBRARIES_MAX + 1;
}
static void spoil_library_name(RunnerPlan *plan) {
        memset(plan->library_names[RUNNER_LIBRARIES_MAX - 1], 'x', RUNNER_LIBRARY_NAME_MAX);
}
static void spoil_inputs(RunnerPlan *plan) {
        plan->n_inputs = RUNNER_INPUTS_MAX + 1;
}
static void spoil_input_name_end(RunnerPlan *plan) {
        memset(plan->input_names[RUNNER_INPUTS_MAX - 1], 'x', RUNNER_INPUT_NAME_MAX);
}
static void spoil_input_name_none(RunnerPlan *plan) {
        plan->n_inputs = 1;
}
static void spoil_input_name_elsewhere(RunnerPlan *plan) {
        plan->n_inputs = 1;
        strcpy(plan->input_names[0], "../x");
}
static void spoil_input_name_above(RunnerPlan *plan) {
        plan->n_inputs = 1;
        strcpy(plan->input_names[0], "..");
}
static void spoil_sides_none(RunnerPlan *plan) {
        plan->n_sides = 0;
}
static void spoil_sides_beyond(RunnerPlan *plan) {
        plan->n_sides = RUNNER_SIDES_MAX + 1;
}
static void spoil_first_side(RunnerPlan *plan) {
        plan->first_side = 1;
}
static void spoil_second_side(RunnerPlan *plan) {
        plan->n_sides = 2;
        memset(plan->sides[1].benchmark, 'x', sizeof plan->sides[1].benchmark);
}
static void spoil_sides_of_threads(RunnerPlan *plan) {
        plan->n_sides = 2;
        plan->n_threads = 2;
}
static void spoil_libraries_together(RunnerPlan *plan) {
        plan->n_sides = 2;
        plan->sides[0].n_libraries = RUNNER_LIBRARIES_MAX;
        plan->sides[1].n_libraries = 1;
}
static void spoil_stack_offset(RunnerPlan *plan) {
        plan->stack_offset_bytes = RUNNER_STACK_OFFSET_MAX;
}
static void spoil_stack_alignment(RunnerPlan *plan) {
        plan->stack_offset_bytes = 8;
}
static void spoil_image_offset(RunnerPlan *plan) {
        plan->sides[0].image_offset_bytes = RUNNER_IMAGE_OFFSET_MAX;
}
static void spoil_image_offset_of_the_other_side(RunnerPlan *plan) {
        plan->n_sides = 2;
        plan->sides[1].image_offset_bytes = 8;
}
static void spoil_heap_offset(RunnerPlan *plan) {
        plan->sides[0].heap_offset_bytes = RUNNER_HEAP_OFFSET_MAX;
}
static void spoil_heap_alignment(RunnerPlan *plan) {
        plan->n_sides = 2;
        plan->sides[1].heap_offset_bytes = 8;
}
static void spoil_padding(RunnerPlan *plan) {
        plan->environment_padding_bytes = RUNNER_PADDING_MAX;
}
static void spoil_area(RunnerPlan *plan) {
        memset(plan->sides[0].area, 'x', sizeof plan->sides[0].area);
}
static void spoil_benchmark(RunnerPlan *plan) {
        memset(plan->sides[0].benchmark, 'x', sizeof plan->sides[0].benchmark);
}
static void spoil_environment(RunnerPlan *plan) {
        memset(plan->environment, 'x', sizeof plan->environment);
}
static void spoil_environment_end(RunnerPlan *plan) {
        memset(plan->environment, 'x', sizeof plan->environment - 1);
}
static void spoil_hz(RunnerPlan *plan) {
        plan->clock.hz = NAN;
}
static void spoil_hz_sign(RunnerPlan *plan) {
        plan->clock.hz = -1;
}
static void spoil_quantum(RunnerPlan *plan) {
        plan->clock.quantum_ticks = INFINITY;
}
static void spoil_batch_cost(RunnerPlan *plan) {
        plan->clock.batch_cost_ticks = NAN;
}
static void spoil_clock_source(RunnerPlan *plan) {
        plan->clock.source = _CLOCK_SOURCE_N;
}
static void spoil_clock_missing(RunnerPlan *plan) {
        plan->clock.missing = _CLOCK_MISSING + 1;
}
static void spoil_target(RunnerPlan *plan) {
        plan->schedule.target_ns = 0;
}
static void spoil_samples_none(RunnerPlan *plan) {
        plan->schedule.samples = 0;
}
static void spoil_samples_beyond(RunnerPlan *plan) {
        plan->schedule.samples = RUNNER_SAMPLES_MAX + 1;
}
static void spoil_warmup(RunnerPlan *plan) {
        plan->schedule.warmup_min_ns = plan->schedule.warmup_max_ns + 1;
}
static void spoil_budget(RunnerPlan *plan) {
        plan->schedule.budget_ns = 0;
}

static void spoil_stack_below(RunnerPlan *plan) {
        plan->asked.stack_bytes = (UINT64_C(1) << 20) - 1;
}
static void spoil_stack_beyond(RunnerPlan *plan) {
        plan->asked.stack_bytes = (UINT64_C(64) << 30) + 1;
}

#define SPOIL(name)                                                                                                    \
 { #name, spoil_##name }

static const struct {
        const char *name;
        void (*spoil)(RunnerPlan *plan);
} spoils[] = {
        SPOIL(magic),
        SPOIL(directory),
        SPOIL(directory_end),
        SPOIL(seen),
        SPOIL(seen_end),
        SPOIL(version),
        SPOIL(mode_none),
        SPOIL(mode_beyond),
        SPOIL(options),
        SPOIL(threads_none),
        SPOIL(threads_beyond),
        SPOIL(threads_samples),
        SPOIL(own_cpus_beyond),
        SPOIL(own_cpus_of_threads),
        SPOIL(own_cpus_of_sides),
        SPOIL(groups),
        SPOIL(suspects),
        SPOIL(args),
        SPOIL(arg_kind),
        SPOIL(arg_real),
        SPOIL(arg_text),
        SPOIL(libraries),
        SPOIL(preloaded),
        SPOIL(library_name),
        SPOIL(inputs),
        SPOIL(input_name_end),
        SPOIL(input_name_none),
        SPOIL(input_name_elsewhere),
        SPOIL(input_name_above),
        SPOIL(sides_none),
        SPOIL(sides_beyond),
        SPOIL(first_side),
        SPOIL(second_side),
        SPOIL(sides_of_threads),
        SPOIL(libraries_together),
        SPOIL(stack_offset),
        SPOIL(stack_alignment),
        SPOIL(heap_offset),
        SPOIL(image_offset),
        SPOIL(stack_below),
        SPOIL(stack_beyond),
        SPOIL(image_offset_of_the_other_side),
        SPOIL(heap_alignment),
        SPOIL(padding),
        SPOIL(area),
        SPOIL(benchmark),
        SPOIL(environment),
        SPOIL(environment_end),
        SPOIL(hz),
        SPOIL(hz_sign),
        SPOIL(quantum),
        SPOIL(batch_cost),
        SPOIL(clock_source),
        SPOIL(clock_missing),
        SPOIL(target),
        SPOIL(samples_none),
        SPOIL(samples_beyond),
        SPOIL(warmup),
        SPOIL(budget),
};

TEST(a_good_plan_passes) {
        RunnerPlan plan = plan_good();

        assert_int_equal(runner_plan_check(&plan), 0);
}

TEST(each_field_out_of_range_is_enough_to_refuse) {
        for (size_t i = 0; i < N_ELEMENTS(spoils); i++) {
                RunnerPlan plan = plan_good();

                spoils[i].spoil(&plan);
                print_message("%s\n", spoils[i].name);
                assert_int_equal(runner_plan_check(&plan), RUNNER_PLAN_E_INVALID);
        }
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
        const unsigned seed = 4711;

        print_message("seed %u\n", seed);
        srandom(seed);
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
