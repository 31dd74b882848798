/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests are taken to the edge of each limit and refused beyond it. */

#include "front/clients/request.h"

#include "front/base/commit.h"
#include "front/base/config.h"
#include "front/jobs/spawn.h"
#include "front/plan/plan.h"
#include "ops/filter.h"
#include "ops/ops.h"
#include "test.h"
#include "util/time.h"

static const Config config = { .timeout_max_s = 86400, .stack_max_bytes = UINT64_C(1) << 30 };

static ReplyError why;
static Benchd__RunRequest run;
static Benchd__Comparison comparison;

static int set_up(void **state) {
        run = (Benchd__RunRequest)BENCHD__RUN_REQUEST__INIT;
        comparison = (Benchd__Comparison)BENCHD__COMPARISON__INIT;
        return 0;
}

TEST_EACH(set_up, NULL)

/* Changes what is asked for, of which @check then says so: a run, its modules or a module, with so many descriptors. */
#define TAKEN(check, ...)                                                                                              \
 do {                                                                                                                  \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(check, 0);                                                                                          \
 } while (0)
#define REFUSED(check, ...)                                                                                            \
 do {                                                                                                                  \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(check, REQUEST_E_BAD);                                                                              \
 } while (0)
#define as_run()          request_check_run(&run, &config, &why)
#define as_modules(n_fds) request_check_modules(&run, n_fds, &why)
#define as_module(n_fds)  request_check_module(&request, n_fds, &why)

static char *text_of(size_t n) {
        static char text[8192];

        memset(text, 'x', n);
        text[n] = 0;
        return text;
}

TEST(a_commit_has_an_id_in_one_word_and_is_bounded) {
        Benchd__Commit commit = BENCHD__COMMIT__INIT;
        ModuleRequest request = { .name = "m.so", .commit = &commit };

        REFUSED(as_module(1), );
        TAKEN(as_module(1), commit.id = text_of(COMMIT_ID_MAX));
        REFUSED(as_module(1), commit.id = text_of(COMMIT_ID_MAX + 1));
        REFUSED(as_module(1), commit.id = (char *)"");
        REFUSED(as_module(1), commit.id = (char *)"a b");
        REFUSED(as_module(1), commit.id = (char *)"a\n");
        REFUSED(as_module(1), commit.id = (char *)"\xc3\xa4");
        TAKEN(as_module(1), commit.id = (char *)"r1"; commit.subject = text_of(COMMIT_SUBJECT_MAX));
        REFUSED(as_module(1), commit.subject = text_of(COMMIT_SUBJECT_MAX + 1));
}

TEST(names_and_filters_are_bounded) {
        char *texts[REQUEST_FILTERS_MAX + 1];
        ModuleRequest request = { .name = text_of(255) };

        assert_int_equal(as_module(1), 0);
        REFUSED(as_module(1), request.name = text_of(256));

        request.name = "m.so";
        for (size_t i = 0; i < REQUEST_FILTERS_MAX + 1; i++)
                texts[i] = text_of(FILTER_BYTES_MAX);
        TAKEN(as_module(1), request.filters = texts; request.n_filters = REQUEST_FILTERS_MAX);
        REFUSED(as_module(1), request.n_filters++);
        request.n_filters = 1;
        text_of(FILTER_BYTES_MAX + 1);
        assert_int_equal(as_module(1), REQUEST_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__BAD_REQUEST);
}

TEST(a_filter_that_means_nothing_is_refused_in_words) {
        char *filters[] = { (char *)"a", (char *)"![[:letters:]]" };
        ModuleRequest request = { .name = "m.so", .filters = filters, .n_filters = 2 };

        assert_int_equal(as_module(1), REQUEST_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__BAD_REQUEST);
        assert_string_equal(why.message, "Filter 2, '![[:letters:]]', names no class of characters.");
        REFUSED(as_module(1), filters[1] = (char *)"a\\");
        TAKEN(as_module(1), filters[1] = (char *)"[[:alpha:]");
}

TEST(descriptors_are_the_module_and_its_libraries) {
        char *names[17];
        ModuleRequest request = { .name = "m.so", .library_names = names };

        for (size_t i = 0; i < 17; i++)
                names[i] = (char *)"l.so";
        TAKEN(as_module(17), request.n_libraries = 16);
        assert_int_equal(as_module(16), REQUEST_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__PROTOCOL);
        REFUSED(as_module(18), request.n_libraries = 17);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__BAD_REQUEST);
}

TEST(no_more_libraries_are_preloaded_than_came) {
        char *names[] = { (char *)"l.so", (char *)"k.so" };
        ModuleRequest request = { .name = "m.so", .library_names = names, .n_libraries = 2, .n_preloaded = 2 };

        assert_int_equal(as_module(3), 0);
        REFUSED(as_module(3), request.n_preloaded = 3);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__BAD_REQUEST);
        request = (ModuleRequest){ .name = "m.so", .run_id = "0123", .n_preloaded = 1 };
        assert_int_equal(as_module(0), REQUEST_E_BAD);
}

TEST(what_an_earlier_job_measured_comes_without_descriptors) {
        char *names[] = { (char *)"l.so" };

        run.comparison = &comparison;
        TAKEN(as_modules(3), run.library_names = names; run.n_library_names = 1);
        TAKEN(as_modules(2), comparison.run_id = (char *)"0123");
        assert_int_equal(as_modules(3), REQUEST_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__PROTOCOL);
        REFUSED(as_modules(0), run.stored_run_id = (char *)"0123");
        TAKEN(as_modules(0), run.n_library_names = 0);
        TAKEN(as_modules(1), comparison.run_id = NULL);
        assert_int_equal(as_modules(0), REQUEST_E_BAD);
}

TEST(inputs_are_few_files_of_names_of_their_own) {
        static char longest[257];
        static const char *const bad[] = { "", ".", "..", "a/b", "/a", longest };
        char *names[RUNNER_INPUTS_MAX + 1] = { (char *)"a", (char *)"b.txt" };

        memset(longest, 'x', 256);
        TAKEN(as_modules(3), run.input_names = names; run.n_input_names = 2);
        assert_int_equal(as_modules(2), REQUEST_E_BAD);
        assert_int_equal(as_modules(1), REQUEST_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__PROTOCOL);
        for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
                REFUSED(as_modules(3), names[1] = (char *)bad[i]);
                assert_int_equal(why.code, BENCHD__ERROR__CODE__BAD_REQUEST);
        }
        TAKEN(as_modules(3), names[1] = longest + 1);
        REFUSED(as_modules(3), names[1] = names[0]);
        REFUSED(as_modules(2 + RUNNER_INPUTS_MAX), run.n_input_names = RUNNER_INPUTS_MAX + 1);
}

TEST(paths_to_see_are_few_and_where_nothing_of_a_run_s_own_is) {
        static const char *const bad[] = { "", "/", "relative", "/srv/", "/srv//x", "/srv/./x", "/srv/..", "/dev",
                "/dev/pts", "/dev/shm/x", "/dev/mqueue/x", "/proc", "/proc/1/root", "/tmp" };
        static const char *const good[] = { "/srv", "/tmp/x", "/dev/kvm", "/process", "/sys/fs/cgroup", "/usr/share/x",
                "/opt/me/.data", "/srv/..x" };
        char path[RUNNER_DIRECTORY_MAX + 1] = "/", *paths[RUNNER_SEEN_MAX + 1];

        run.seen = paths;
        run.n_seen = 1;
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
                TAKEN(as_run(), paths[0] = (char *)good[i]);
        }
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                REFUSED(as_run(), paths[0] = (char *)bad[i]);
        }
        memset(path + 1, 'd', RUNNER_DIRECTORY_MAX - 1);
        REFUSED(as_run(), paths[0] = path);
        TAKEN(as_run(), path[RUNNER_DIRECTORY_MAX - 1] = '\0');
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
                paths[i] = (char *)good[0];
        TAKEN(as_run(), run.n_seen = RUNNER_SEEN_MAX);
        REFUSED(as_run(), run.n_seen++);
}

TEST(commands_are_few_and_short_together) {
        static char longest[REQUEST_COMMANDS_BYTES + 2];
        char *texts[REQUEST_COMMANDS_MAX + 1];

        for (size_t i = 0; i < N_ELEMENTS(texts); i++)
                texts[i] = (char *)"true";
        run.commands = texts;
        TAKEN(as_run(), run.n_commands = REQUEST_COMMANDS_MAX);
        REFUSED(as_run(), run.n_commands++);
        memset(longest, 'x', REQUEST_COMMANDS_BYTES + 1);
        texts[1] = longest + strlen("true");
        REFUSED(as_run(), run.n_commands = 2);
        TAKEN(as_run(), texts[1]++);
}

TEST(a_parameter_is_of_a_command_and_its_text_counts) {
        static char longest[REQUEST_COMMANDS_BYTES + 1];
        char *texts[] = { (char *)"sleep 1" };
        Benchd__CommandParameter *parameters[REQUEST_PARAMETERS_MAX + 1], parameter = BENCHD__COMMAND_PARAMETER__INIT;

        for (size_t i = 0; i < N_ELEMENTS(parameters); i++)
                parameters[i] = &parameter;
        run.parameters = parameters;
        run.n_parameters = 1;
        parameter.name = (char *)"n";
        parameter.value = (char *)"1";
        REFUSED(as_run(), run.n_commands = 0);
        run.commands = texts;
        TAKEN(as_run(), run.n_commands = 1);
        TAKEN(as_run(), run.n_parameters = REQUEST_PARAMETERS_MAX);
        REFUSED(as_run(), run.n_parameters++);
        run.n_parameters = 1;
        REFUSED(as_run(), parameter.command = 1);
        parameter.command = 0;
        REFUSED(as_run(), parameter.name = NULL);
        parameter.name = (char *)"n";
        memset(longest, 'x', REQUEST_COMMANDS_BYTES - strlen("n") - strlen("sleep 1") + 1);
        REFUSED(as_run(), parameter.value = longest);
        TAKEN(as_run(), parameter.value++);
}

TEST(a_directory_is_a_short_absolute_path) {
        static const char *const bad[] = { "", "relative", "./here", "~/disk" };
        char path[RUNNER_DIRECTORY_MAX + 1] = "/";

        TAKEN(as_run(), run.directory = (char *)"/srv");
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                REFUSED(as_run(), run.directory = (char *)bad[i]);
        }
        memset(path + 1, 'd', RUNNER_DIRECTORY_MAX - 1);
        REFUSED(as_run(), run.directory = path);
        TAKEN(as_run(), path[RUNNER_DIRECTORY_MAX - 1] = '\0');
}

TEST(what_is_no_assignment_is_refused) {
        char *bad[] = { (char *)"", (char *)"NAME", (char *)"=value" };
        char *good[] = { (char *)"NAME=", (char *)"A=b=c" };
        ModuleRequest request = { .name = "m.so", .environment = good, .n_environment = 2 };

        assert_int_equal(as_module(1), 0);
        for (size_t i = 0; i < 3; i++) {
                REFUSED(as_module(1), request.environment = bad + i; request.n_environment = 1);
        }
}

/* The longest environment that is taken fits a plan that passes the launcher's check. */
TEST(the_longest_environment_reaches_the_plan_whole) {
        static char first[2001], second[2000];
        char *both[] = { first, second };
        ModuleRequest request = { .name = "m.so", .environment = both, .n_environment = 2 };
        static OpsRecord record;

        memset(first, 'a', sizeof first - 1);
        memset(second, 'b', sizeof second - 1);
        first[5] = second[5] = '=';
        assert_int_equal(as_module(1), REQUEST_E_BAD); /* 4001 bytes */
        first[sizeof first - 2] = 0;
        assert_int_equal(as_module(1), 0);

        spawn_list(&(SpawnJob){ .tickets = { 1 },
                                   .listing_timeout_ns = 7000000000,
                                   .environment = both,
                                   .n_environment = 2 },
                        0, &record);
        assert_int_equal(ops_check(&record, 0), 0);
        assert_string_equal(record.spawn.plan.environment, first);
        assert_string_equal(record.spawn.plan.environment + strlen(first) + 1, second);
        assert_int_equal(record.spawn.plan.environment[4000], 0);
        assert_int_equal(record.spawn.timeout_ns, 7000000000);
}

TEST(a_value_out_of_its_range_is_refused_by_name) {
        assert_int_equal(as_run(), 0);
        run.has_processes = 1;
        for (run.processes = 1; run.processes <= 1000; run.processes += 999)
                assert_int_equal(as_run(), 0);
        REFUSED(as_run(), run.processes = 1001);
        assert_string_equal(why.message, "processes is 1001, not from 1 to 1000.");
        REFUSED(as_run(), run.processes = 0);
        run.has_processes = 0;
        run.has_seed = 1;
        TAKEN(as_run(), run.seed = UINT64_MAX; run.has_warmup_ns = 1);
        REFUSED(as_run(), run.has_iterations = 1);
}

TEST(cpus_of_a_bodys_own_threads_are_for_one_thread_of_one_side) {
        REFUSED(as_run(), run.cpus_per_run = 65, run.has_cpus_per_run = 1);
        assert_string_equal(why.message, "cpus_per_run is 65, not from 1 to 64.");
        TAKEN(as_run(), run.cpus_per_run = 2);
        REFUSED(as_run(), run.threads = 2, run.has_threads = 1);
        assert_non_null(strstr(why.message, "threads is 2 and cpus_per_run is 2"));
        TAKEN(as_run(), run.threads = 1);
        REFUSED(as_modules(2), run.comparison = &comparison);
        assert_non_null(strstr(why.message, "cpus_per_run"));
        TAKEN(as_modules(2), run.cpus_per_run = 1);
}

TEST(a_reference_is_as_long_as_a_filter_at_most_and_not_of_a_comparison) {
        static char name[258];

        memset(name, 'a', 256);
        TAKEN(as_run(), run.reference = name);
        assert_int_equal(as_modules(1), 0);
        REFUSED(as_modules(2), run.comparison = &comparison);
        REFUSED(as_run(), name[256] = 'a');
}

TEST(only_an_open_number_has_a_least) {
        REFUSED(as_run(), run.has_processes_least = 1; run.processes_least = 16);
        assert_non_null(strstr(why.message, "processes_least is 16"));
        TAKEN(as_run(), run.has_precision = 1; run.precision = 0.01);
        assert_int_equal(as_modules(1), 0);
        TAKEN(as_run(), run.has_precision = 0; run.comparison = &comparison);
        REFUSED(as_run(), run.has_processes = 1; run.processes = 20);
}

TEST(only_a_comparison_that_ends_by_itself_ends_within_a_number) {
        REFUSED(as_run(), run.has_processes_most = 1; run.processes_most = 16);
        assert_non_null(strstr(why.message, "processes_most is 16"));
        assert_int_equal(as_modules(1), 0);
        run.comparison = &comparison;
        TAKEN(as_run(), run.processes_most = 16);
        REFUSED(as_run(), run.has_processes = 1; run.processes = 20);
        TAKEN(as_run(), run.has_processes = 0);
        REFUSED(as_run(), run.has_precision = 1; run.precision = 0.01);
}

TEST(an_interval_over_rounds_takes_three_of_them_and_a_fixed_number_of_processes) {
        REFUSED(as_run(), run.has_rounds = 1; run.rounds = 3);
        assert_non_null(strstr(why.message, "of a comparison"));
        assert_int_equal(as_modules(1), 0);
        run.comparison = &comparison;
        TAKEN(as_run(), run.rounds = 3);
        REFUSED(as_run(), run.rounds = 0);
        TAKEN(as_run(), run.rounds = 1);
        REFUSED(as_run(), run.rounds = 2);
        REFUSED(as_run(), run.rounds = 51);
        TAKEN(as_run(), run.rounds = 50; run.has_processes = 1; run.processes = 20);
        REFUSED(as_run(), run.processes = 21);
        assert_string_equal(why.message, "50 rounds of 21 processes are over 1000 in all.");
        TAKEN(as_run(), run.rounds = 4);
        REFUSED(as_run(), run.has_precision = 1; run.precision = 0.01);
        TAKEN(as_run(), run.has_precision = 0);
        REFUSED(as_run(), run.has_processes = 0; run.has_processes_most = 1; run.processes_most = 16);
        TAKEN(as_run(), run.has_processes_most = 0);
}

TEST(only_a_comparison_is_spread_over_time) {
        REFUSED(as_run(), run.has_spread_ns = 1; run.spread_ns = NS_PER_S);
        assert_int_equal(as_modules(1), 0);
        run.comparison = &comparison;
        TAKEN(as_run(), run.spread_ns = NS_PER_S);
        REFUSED(as_run(), run.spread_ns = NS_PER_S - 1);
        TAKEN(as_run(), run.spread_ns = 604800 * NS_PER_S);
        REFUSED(as_run(), run.spread_ns = 604800 * NS_PER_S + 1);
}

TEST(only_one_iteration_can_be_cold) {
        TAKEN(as_run(), run.has_iterations = run.has_cold = 1; run.iterations = 2);
        REFUSED(as_run(), run.cold = 1);
        assert_non_null(strstr(why.message, "iterations is 2"));
        TAKEN(as_run(), run.iterations = 1);
}

TEST(a_precision_is_a_number_from_a_ten_thousandth_to_one) {
        static const struct {
                double precision;
                int r;
        } rows[] = { { 0.0001, 0 }, { 1, 0 }, { 0.01, 0 }, { 0.00009, REQUEST_E_BAD }, { 1.1, REQUEST_E_BAD },
                { -0.01, REQUEST_E_BAD }, { NAN, REQUEST_E_BAD }, { INFINITY, REQUEST_E_BAD } };

        run.has_precision = 1;
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                run.precision = rows[i].precision;
                assert_int_equal(as_run(), rows[i].r);
                if (rows[i].r)
                        assert_non_null(strstr(why.message, "precision"));
        }
}

TEST(a_timeout_is_bounded_as_configured) {
        static const Config short_one = { .timeout_max_s = 5 };

        run.has_timeout_ns = 1;
        run.timeout_ns = 5000000000;
        assert_int_equal(request_check_run(&run, &short_one, &why), 0);
        run.timeout_ns = 5500000000;
        assert_int_equal(request_check_run(&run, &short_one, &why), REQUEST_E_BAD);
        assert_string_equal(why.message,
                        "timeout_ns: 5.5 s are more than the 5 s that timeout_max= of benchd.conf allows.");
}

TEST(a_stack_is_bounded_as_configured_and_travels) {
        static const struct {
                uint64_t stack_bytes;
                const char *words; /* NULL: it is taken */
        } rows[] = {
                { UINT64_C(1) << 20, NULL },
                { UINT64_C(1) << 30, NULL },
                { (UINT64_C(1) << 20) - 1, "stack_bytes is 1048575, not from 1048576 to 68719476736." },
                { UINT64_C(2) << 30,
                                "stack_bytes: 2 GiB are more than the 1 GiB that stack_max= of benchd.conf allows." },
                { UINT64_C(65) << 30, "stack_bytes is 69793218560, not from 1048576 to 68719476736." },
        };
        static OpsRecord record;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const SpawnJob job = { .tickets = { 1 }, .listing_timeout_ns = 1, .run = &run };

                run.has_stack_bytes = 1;
                run.stack_bytes = rows[i].stack_bytes;
                assert_int_equal(as_run(), rows[i].words ? REQUEST_E_BAD : 0);
                if (rows[i].words)
                        assert_string_equal(why.message, rows[i].words);
                spawn_list(&job, 0, &record);
                assert_int_equal(record.spawn.plan.asked.stack_bytes, rows[i].stack_bytes);
        }
}

TEST(an_inspection_is_of_one_side_and_one_name) {
        static const SpawnJob job = { .tickets = { 7, 8 }, .listing_timeout_ns = 1 };
        static OpsRecord record;
        const RunnerSide *side = &record.spawn.plan.sides[0];
        Benchd__InspectRequest inspect = BENCHD__INSPECT_REQUEST__INIT;

        spawn_inspect(&job, 1, "area/name", &record);
        assert_int_equal(record.spawn.plan.mode, RUNNER_MODE_INSPECT);
        assert_int_equal(record.spawn.ticket, 8);
        assert_int_equal(record.spawn.timeout_ns, SPAWN_INSPECT_TIMEOUT_NS);
        assert_string_equal(side->area, "area");
        assert_string_equal(side->benchmark, "name");
        assert_int_equal(runner_plan_check(&record.spawn.plan), 0);
        spawn_inspect(&job, 0, "name", &record);
        assert_int_equal(record.spawn.ticket, 7);
        assert_string_equal(side->area, "");
        assert_string_equal(side->benchmark, "name");
        spawn_inspect(&job, 0, NULL, &record);
        assert_string_equal(side->benchmark, "");

        inspect.benchmark = text_of(RUNNER_NAME_MAX - 1);
        assert_int_equal(request_check_inspect(&inspect, &why), 0);
        inspect.benchmark = text_of(RUNNER_NAME_MAX);
        assert_int_equal(request_check_inspect(&inspect, &why), REQUEST_E_BAD);
        inspect.benchmark[RUNNER_NAME_MAX / 2] = '/';
        assert_int_equal(request_check_inspect(&inspect, &why), 0);
        inspect.benchmark = NULL;
        assert_int_equal(request_check_inspect(&inspect, &why), 0);
}

TEST(alternatives_are_counted_and_the_job_of_one_is_found) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__StatusRequest status = BENCHD__STATUS_REQUEST__INIT;
        Benchd__CancelRequest cancel = BENCHD__CANCEL_REQUEST__INIT;

        assert_int_equal(request_count_set(&request), 0);
        request.status = &status;
        assert_int_equal(request_count_set(&request), 1);
        assert_null(request_run_id(&request));
        request.cancel = &cancel;
        assert_int_equal(request_count_set(&request), 2);
        assert_null(request_run_id(&request));
        cancel.run_id = (char *)"1234";
        assert_string_equal(request_run_id(&request), "1234");
}

TEST(a_timeout_is_ten_times_the_longest_or_a_minute_or_as_asked) {
        RunnerSchedule schedule = { .budget_ns = 300000000, .warmup_max_ns = 1500000000 };
        const uint64_t most = OPS_TIMEOUT_MAX_NS;

        assert_int_equal(spawn_timeout_ns(&schedule, 0, most), 60000000000);
        assert_int_equal(spawn_timeout_ns(&schedule, 5, most), 5);
        assert_int_equal(spawn_timeout_ns(&schedule, 0, 30000000000), 30000000000);
        schedule.budget_ns = 100000000000;
        assert_int_equal(spawn_timeout_ns(&schedule, 0, most), 10 * plan_schedule_longest_ns(&schedule));
        assert_true(plan_schedule_longest_ns(&schedule) >= 101500000000);
        schedule.budget_ns = 1000000000;
        schedule.target_ns = 5000000000; /* of which two batches at least find the length, and three are samples */
        assert_true(spawn_timeout_ns(&schedule, 0, most) >= 250000000000);
}
