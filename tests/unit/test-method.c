/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of methods: every row can be planned, takes what it says, and refuses the rest by name. */

#include "front/plan/method.h"

#include "arena.h"
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

/* True if @option, which @method does not take, is refused by its name, and taken by benchd's own. */
static bool is_refused(const Method *method, const RunOption *option) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        const char *refused;

        if (option->kind == RUN_OPTION_PERCENT)
                run_request_set_fraction(&request, option, 1);
        else
                run_request_set_number(&request, option, 1);
        assert_null(method_refuses(find(""), &request));
        refused = method_refuses(method, &request);
        return refused && strcmp(refused, option->name) == 0;
}

TEST(an_option_is_taken_or_refused_by_its_name) {
        static const struct {
                const char *method;
                const char *takes[METHOD_TAKES_MAX + 1];
        } rows[] = {
                { "measureit", { "samples", "iterations", "budget" } },
                { "stopwatch", { "samples", "iterations", "warmup", "budget" } },
                { "softwx", { "samples", "iterations", "min-time", "budget" } },
                { "mark5", { "budget" } },
                { "mark8setup", { "samples", "min-time", "budget" } },
        };
        const RunOption *option;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                for (size_t j = 0; (option = run_option_at(j)); j++) {
                        bool takes = !option->own;

                        if (!run_option_is_number(option) && option->kind != RUN_OPTION_FLAG &&
                                        option->kind != RUN_OPTION_CHOICE)
                                continue;
                        for (size_t k = 0; rows[i].takes[k]; k++)
                                takes |= strcmp(rows[i].takes[k], option->name) == 0;
                        assert_int_equal(is_refused(find(rows[i].method), option), !takes);
                }
        for (const char *const *name = (const char *const[]){ "processes", "precision", "quick", "cold", "memory",
                             "clock", "threads", "cpus-per-run", NULL };
                        *name; name++)
                assert_true(is_refused(find("mark5"), run_option_find(*name)));
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

TEST(batches_that_outlast_a_window_have_a_remedy_that_the_method_takes) {
        const Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        const Method *method;

        for (size_t i = 0; (method = method_at(i)); i++) {
                const RunnerSchedule schedule = method_schedule(method, &silent, &request);
                const WarningKind kind = method_long_batch(method, &schedule);
                const char *advice = warning_words(kind)->advice;
                const bool min_time = method_takes(method, run_option_find("min-time"));
                const bool iterations = method_takes(method, run_option_find("iterations"));

                assert_non_null(warning_words(kind)->note);
                if (kind == WARNING_LONG_METHOD)
                        assert_false(min_time || iterations);
                else {
                        assert_int_equal(strstr(advice, "--iterations") != NULL, iterations && i > 0);
                        assert_int_equal(strstr(advice, "--min-time") != NULL, (min_time && !iterations) || i == 0);
                }
        }
        assert_int_equal(method_long_batch(find("mark3"), &find("mark3")->schedule), WARNING_LONG_COUNT);
        assert_int_equal(method_long_batch(find("mark6"), &find("mark6")->schedule), WARNING_LONG_METHOD);
        assert_int_equal(method_long_batch(find("mark8"), &find("mark8")->schedule), WARNING_LONG_BATCH);
        assert_int_equal(method_long_batch(find("macro"), &find("macro")->schedule), WARNING_LONG_WORK);
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
        WarningList warnings = {};

        method_add_findings(method_findings(find(name), &schedule, block, &clock_1ghz, mean_ns), arena, &warnings);
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
