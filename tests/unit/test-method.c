/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table of methods: every row can be planned, takes what it says, and refuses the rest by name.
 */

#include "front/plan/method.h"

#include "test.h"
#include "util/cleanup.h"
#include "util/time.h"

static const ListingEntry silent;

static const Method *find(const char *name) {
        const Method *method = method_find(name);

        assert_non_null(method);
        return method;
}

static Benchd__RunRequest request_of(const char *name) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        request.method = (char *)name;
        return request;
}

TEST(every_row_is_found_by_its_name_and_says_what_it_does) {
        char names[METHOD_NAMES_MAX];
        const Method *method;
        size_t n = 0;

        method_names(names);
        for (; (method = method_at(n)); n++) {
                assert_ptr_equal(method_find(method->name), method);
                assert_non_null(strstr(names, method->name));
                assert_true(strlen(method->about) > 0);
                assert_int_equal(method->is_older, n > 0);
                assert_int_equal(method->caps != NULL, method->is_older);
        }
        assert_int_equal(n, 13);
        assert_string_equal(find("")->name, "benchd");
        assert_null(method_find("mark9"));
        assert_null(method_find("MARK5"));
}

TEST(every_older_row_is_a_plan_that_a_runner_takes) {
        const Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        const Method *method;

        for (size_t i = 1; (method = method_at(i)); i++) {
                RunnerPlan plan = {
                        .magic = RUNNER_PLAN_MAGIC,
                        .mode = RUNNER_MODE_RUN,
                        .n_threads = 1,
                        .n_sides = 1,
                        .schedule = method_schedule(method, &silent, &request),
                };

                assert_int_equal(runner_plan_check(&plan), 0);
                assert_int_not_equal(plan.schedule.pace, RUNNER_PACE_SETTLED);
        }
}

/* An option, set in a request; and its bit. */
typedef struct OptionRow {
        const char *name;
        uint32_t takes;
        size_t has;
        size_t flag; /* 0: its value does not matter */
} OptionRow;

#define FIELD(name) offsetof(Benchd__RunRequest, name)

static const OptionRow option_rows[] = {
        { "samples", METHOD_TAKES_SAMPLES, FIELD(has_samples), 0 },
        { "iterations", METHOD_TAKES_ITERATIONS, FIELD(has_iterations), 0 },
        { "min-time", METHOD_TAKES_MIN_TIME, FIELD(has_min_time_ns), 0 },
        { "warmup", METHOD_TAKES_WARMUP, FIELD(has_warmup_ns), 0 },
        { "budget", METHOD_TAKES_BUDGET, FIELD(has_budget_ns), 0 },
        { "processes", METHOD_TAKES_OTHERS, FIELD(has_processes), 0 },
        { "quick", METHOD_TAKES_OTHERS, FIELD(has_quick), FIELD(quick) },
        { "cold", METHOD_TAKES_OTHERS, FIELD(has_cold), FIELD(cold) },
        { "memory", METHOD_TAKES_OTHERS, FIELD(has_memory), FIELD(memory) },
        { "clock", METHOD_TAKES_OTHERS, FIELD(has_cpu_time), FIELD(cpu_time) },
        { "threads", METHOD_TAKES_OTHERS, FIELD(has_threads), 0 },
};

TEST(an_option_is_taken_or_refused_by_its_name) {
        const Method *method;

        for (size_t i = 0; (method = method_at(i)); i++)
                for (size_t j = 0; j < N_ELEMENTS(option_rows); j++) {
                        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
                        const char *refused;

                        *(protobuf_c_boolean *)((char *)&request + option_rows[j].has) = true;
                        if (option_rows[j].flag)
                                *(protobuf_c_boolean *)((char *)&request + option_rows[j].flag) = true;
                        refused = method_refuses(method, &request);
                        if (method->takes & option_rows[j].takes)
                                assert_null(refused);
                        else
                                assert_string_equal(refused, option_rows[j].name);
                }
}

TEST(benchd_refuses_nothing_and_no_older_one_takes_several_processes) {
        Benchd__RunRequest request = request_of("mark7");

        request.has_processes = true;
        assert_null(method_refuses(find("benchd"), &request));
        for (size_t i = 1; method_at(i); i++)
                assert_string_equal(method_refuses(method_at(i), &request), "processes");
}

TEST(what_is_typed_wins_over_the_module_and_that_over_the_method) {
        ListingEntry entry = { .samples = 12, .min_time_ns = 7 * NS_PER_MS, .iterations = 33 };
        Benchd__RunRequest request = request_of("mark8");
        RunnerSchedule schedule;

        assert_int_equal(method_schedule(find("mark8"), &silent, &request).samples, 10);
        schedule = method_schedule(find("mark8"), &entry, &request);
        assert_int_equal(schedule.samples, 12);
        assert_int_equal(schedule.target_ns, 7 * NS_PER_MS);
        assert_int_equal(schedule.iterations, 2); /* of which it takes none */
        request.samples = 4, request.has_samples = true;
        assert_int_equal(method_schedule(find("mark8"), &entry, &request).samples, 4);
        assert_int_equal(method_schedule(find("measureit"), &entry, &request).iterations, 33);
}

TEST(the_least_time_is_of_a_batch_or_of_all_calls) {
        Benchd__RunRequest request = request_of("");

        request.min_time_ns = 9 * NS_PER_MS, request.has_min_time_ns = true;
        assert_int_equal(method_schedule(find("mark8"), &silent, &request).target_ns, 9 * NS_PER_MS);
        assert_int_equal(method_schedule(find("softwx"), &silent, &request).least_ns, 9 * NS_PER_MS);
        assert_int_equal(method_schedule(find("softwx"), &silent, &request).target_ns, NS_PER_MS);
}

TEST(a_given_count_is_not_looked_for) {
        Benchd__RunRequest request = request_of("softwx");
        RunnerSchedule schedule;

        request.iterations = 500, request.has_iterations = true;
        schedule = method_schedule(find("softwx"), &silent, &request);
        assert_int_equal(schedule.pace, RUNNER_PACE_FIXED);
        assert_int_equal(schedule.iterations, 500);
        assert_int_equal(schedule.least_ns, 5000 * NS_PER_MS);
}

TEST(state_that_is_reset_after_a_batch_never_grows) {
        const ListingEntry resets = { .resets = 1 };
        const Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        for (size_t i = 1; method_at(i); i++) {
                RunnerSchedule schedule = method_schedule(method_at(i), &resets, &request);

                assert_int_equal(schedule.pace, RUNNER_PACE_FIXED);
                assert_int_equal(schedule.iterations, 1);
        }
}

TEST(what_is_not_prepared_is_not_warmed_up_unless_it_is_typed) {
        Benchd__RunRequest request = request_of("stopwatch");

        assert_int_equal(method_schedule(find("stopwatch"), &silent, &request).warmup_min_ns, 1200 * NS_PER_MS);
        request.unprepared = true, request.has_unprepared = true;
        assert_int_equal(method_schedule(find("stopwatch"), &silent, &request).warmup_min_ns, 0);
        request.has_unprepared = false;
        assert_int_equal(method_schedule(find("stopwatch"), &(ListingEntry){ .warmup_ms = LISTING_NO_WARMUP }, &request)
                                         .warmup_max_ns,
                        0);
        request.warmup_ns = 5, request.has_warmup_ns = true;
        assert_int_equal(method_schedule(find("stopwatch"), &silent, &request).warmup_max_ns, 5);
}

TEST(macro_takes_ten_to_fifty_runs) {
        assert_false(method_takes_samples(find("macro"), 9));
        assert_true(method_takes_samples(find("macro"), 10));
        assert_true(method_takes_samples(find("macro"), 50));
        assert_false(method_takes_samples(find("macro"), 51));
        assert_true(method_takes_samples(find("mark8"), 1));
}

static const ClockFacts clock_1ghz = { .hz = 1e9 };

/* The sentences about a block of @method whose mean is @mean_ns. */
static size_t count_warnings(const char *name, const SampleBlock *block, double mean_ns, const char *mentions) {
        const Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunnerSchedule schedule = method_schedule(find(name), &silent, &request);
        _cleanup_(arena_freep) Arena *arena = NULL;
        WarningList warnings = {};

        assert_int_equal(arena_new(&arena), 0);
        method_add_warnings(method_find_oddities(find(name), &schedule, block, &clock_1ghz, mean_ns), arena, &warnings);
        if (mentions)
                assert_non_null(strstr(warnings.texts.texts[0], mentions));
        return warnings.texts.n;
}

TEST(what_is_odd_about_a_result_has_its_sentence) {
        SampleBlock *block = calloc(1, sizeof *block);

        assert_non_null(block);
        block->n_threads = 1;
        block->n_samples = 10;
        block->iterations = 64;
        block->samples[9].ticks = 250 * NS_PER_MS;
        assert_int_equal(count_warnings("mark8setup", block, 1e6, "never paused"), 1);
        block->samples[3].paused_ticks = 1;
        assert_int_equal(count_warnings("mark8setup", block, 1e6, NULL), 0);
        assert_int_equal(count_warnings("mark8setup", block, 99, "under 100 ns"), 1);
        assert_int_equal(count_warnings("mark8", block, 99, NULL), 0);
        block->samples[9].paused_ticks = 1;
        assert_int_equal(count_warnings("mark8", block, 1e6, "the budget ended the doubling"), 1);
        block->n_threads = 2;
        block->samples[8].ticks = 250 * NS_PER_MS;
        assert_int_equal(count_warnings("mark8", block, 1e6, NULL), 0);
        block->n_threads = 1;
        block->inputs_max = 64;
        assert_int_equal(count_warnings("mark8", block, 1e6, NULL), 0);
        block->iterations = 1 << 30;
        assert_int_equal(count_warnings("mark7", block, 0.1, "largest count"), 1);
        assert_int_equal(count_warnings("measureit", block, 5, "no empty loop"), 1);
        block->iterations = 1;
        assert_int_equal(count_warnings("measureit", block, 1e6, "long body"), 1);
        free(block);
}
