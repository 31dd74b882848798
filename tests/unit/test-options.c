/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options of a run: every row of the table reaches its field, keeps its range, and has words where it refuses. */

#include "benchd/client.h"
#include "lib/options.h"
#include "test.h"

static benchd_options *options;

static int set_up(void **state) {
        benchd_options_free(take_pointer(options));
        return benchd_options_new(&options);
}

static int tear_down(void **state) {
        benchd_options_free(take_pointer(options));
        return 0;
}

TEST_EACH(set_up, tear_down)

static size_t packed_size(void) {
        return benchd__run_request__get_packed_size(&options->request);
}

/* A value that each option takes. */
static const char *any_value(const benchd_option *option) {
        return !option->value                                  ? NULL
               : option->values && strchr(option->values, '|') ? strrchr(option->values, '|') + 1
               : strcmp(option->value, "SIZE") == 0            ? "3M"
                                                               : "3";
}

TEST(every_option_changes_the_request) {
        const benchd_option *option;
        size_t n = 0;

        for (size_t i = 0; (option = benchd_option_at(i)); i++) {
                set_up(NULL);
                assert_int_equal(packed_size(), 0);
                if (benchd_options_set(options, option->name, any_value(option)) != 0)
                        fail_msg("%s", benchd_options_problem(options));
                assert_true(packed_size() > 0);
                n++;
        }
        assert_true(n > 20);
}

TEST(a_value_in_brackets_may_be_left_out) {
        assert_int_equal(benchd_options_set(options, "scale", "calls/empty"), 0);
        assert_string_equal(options->request.reference, "calls/empty");
        assert_int_equal(benchd_options_set(options, "scale", NULL), 0);
        assert_string_equal(options->request.reference, "");
        assert_int_equal(benchd_options_set(options, "scale", ""), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_options_set(options, "method", NULL), BENCHD_E_BAD_OPTION);
}

TEST(an_input_is_read_at_once_and_has_its_files_name) {
        char path[] = "/tmp/benchd-input-XXXXXX", bytes[4] = "";
        int fd = mkstemp(path);

        assert_int_equal(write(fd, "old", 3), 3);
        assert_int_equal(benchd_options_add_input(options, path), 0);
        assert_int_equal(pwrite(fd, "new", 3, 0), 3);
        assert_string_equal(options->request.input_names[0], strrchr(path, '/') + 1);
        assert_int_equal(pread(options->input_fds[0], bytes, 3, 0), 3);
        assert_string_equal(bytes, "old");
        assert_int_equal(benchd_options_add_input(options, path), BENCHD_E_BAD_OPTION);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(benchd_options_add_input(options, path), BENCHD_E_EMPTY);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(benchd_options_add_input(options, path), -ENOENT);
        close(fd);
}

TEST(a_run_is_detached_only_where_it_was_asked_for) {
        assert_int_equal(benchd_options_set(options, "quick", NULL), 0);
        assert_false(benchd_options_detach(options));
        assert_int_equal(benchd_options_set(options, "detach", NULL), 0);
        assert_true(benchd_options_detach(options));
}

TEST(names_are_unique_and_have_words) {
        const benchd_option *option, *other;

        for (size_t i = 0; (option = benchd_option_at(i)); i++) {
                assert_true(strlen(option->help) > 0);
                for (size_t j = 0; j < i && (other = benchd_option_at(j)); j++)
                        assert_string_not_equal(option->name, other->name);
        }
}

TEST(values_reach_their_fields_in_their_units) {
        const Benchd__RunRequest *request = &options->request;

        assert_int_equal(benchd_options_set(options, "processes", "7"), 0);
        assert_int_equal(benchd_options_set(options, "samples", "4096"), 0);
        assert_int_equal(benchd_options_set(options, "budget", "0.25"), 0);
        assert_int_equal(benchd_options_set(options, "timeout", "90"), 0);
        assert_int_equal(benchd_options_set(options, "quick", NULL), 0);
        assert_int_equal(benchd_options_set(options, "seed", "0"), 0);
        assert_int_equal(benchd_options_set(options, "min-time", "1.5"), 0);
        assert_int_equal(benchd_options_set(options, "warmup", "0"), 0);
        assert_int_equal(benchd_options_set(options, "iterations", "1000000000000"), 0);
        assert_int_equal(benchd_options_set(options, "threads", "64"), 0);

        assert_int_equal(request->processes, 7);
        assert_int_equal(request->samples, 4096);
        assert_int_equal(request->budget_ns, 250000000);
        assert_int_equal(request->timeout_ns, 90000000000);
        assert_true(request->quick);
        assert_true(request->has_seed);
        assert_int_equal(request->seed, 0);
        assert_int_equal(request->min_time_ns, 1500000);
        assert_true(request->has_warmup_ns);
        assert_int_equal(request->warmup_ns, 0);
        assert_int_equal(request->iterations, 1000000000000);
        assert_int_equal(request->threads, 64);
}

TEST(percent_becomes_a_fraction_with_or_without_its_sign) {
        for (const char *const *bad = (const char *const[]){ "", "%", "0", "0.001", "101", "1%%", "-1", "1 %", "x",
                             NULL };
                        *bad; bad++)
                assert_int_equal(benchd_options_set(options, "precision", *bad), BENCHD_E_BAD_OPTION);
        assert_false(options->request.has_precision);
        assert_int_equal(benchd_options_set(options, "precision", "2.5%"), 0);
        assert_true(options->request.has_precision && options->request.precision == 0.025);
        assert_int_equal(benchd_options_set(options, "precision", "100"), 0);
        assert_true(options->request.precision == 1);
}

TEST(a_choice_is_one_of_its_words) {
        for (const char *const *bad = (const char *const[]){ "", "f", "fulll", "full|none", "0", NULL }; *bad; bad++) {
                assert_int_equal(benchd_options_set(options, "prepare", *bad), BENCHD_E_BAD_OPTION);
                assert_non_null(strstr(benchd_options_problem(options), "full|none"));
        }
        assert_false(options->request.has_unprepared);
        assert_int_equal(benchd_options_set(options, "prepare", "none"), 0);
        assert_true(options->request.unprepared);
        assert_int_equal(benchd_options_set(options, "prepare", "full"), 0);
        assert_true(options->request.has_unprepared && !options->request.unprepared);
}

TEST(a_directory_becomes_absolute) {
        char working[PATH_MAX], longest[PATH_MAX];

        assert_int_equal(benchd_options_set(options, "dir", ""), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_options_set(options, "dir", NULL), BENCHD_E_BAD_OPTION);
        assert_null(options->request.directory);
        assert_int_equal(benchd_options_set(options, "dir", "/srv/disk"), 0);
        assert_string_equal(options->request.directory, "/srv/disk");
        assert_int_equal(chdir("/tmp"), 0);
        assert_non_null(getcwd(working, sizeof working));
        assert_int_equal(benchd_options_set(options, "dir", "disk"), 0);
        assert_memory_equal(options->request.directory, working, strlen(working));
        assert_string_equal(options->request.directory + strlen(working), "/disk");
        memset(longest, 'd', sizeof longest);
        longest[0] = '/';
        longest[OPTIONS_DIRECTORY_MAX + 1] = '\0';
        assert_int_equal(benchd_options_set(options, "dir", longest), BENCHD_E_BAD_OPTION);
        longest[OPTIONS_DIRECTORY_MAX] = '\0';
        assert_int_equal(benchd_options_set(options, "dir", longest), 0);
}

TEST(a_path_to_see_becomes_absolute_and_plain) {
        static const struct {
                const char *value;
                const char *path;
        } rows[] = {
                { "/srv/data", "/srv/data" },
                { "data", "/tmp/data" },
                { ".", "/tmp" },
                { "../srv//data/", "/srv/data" },
                { "/srv/./a/b/../../data", "/srv/data" },
                { "/../..", "/" },
                { "/srv/..data", "/srv/..data" },
        };

        assert_int_equal(chdir("/tmp"), 0);
        assert_int_equal(benchd_options_set(options, "see", ""), BENCHD_E_BAD_OPTION);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                assert_int_equal(benchd_options_set(options, "see", rows[i].value), 0);
                assert_string_equal(options->request.seen[i], rows[i].path);
        }
        assert_int_equal(benchd_options_set(options, "see", "/srv/last"), 0);
        assert_int_equal(options->request.n_seen, OPTIONS_SEEN_MAX);
        assert_int_equal(benchd_options_set(options, "see", "/srv/more"), BENCHD_E_BAD_OPTION);
        assert_non_null(strstr(benchd_options_problem(options), "at most 8 paths"));
}

TEST(a_path_to_see_is_short) {
        char longest[PATH_MAX];

        memset(longest, 'd', sizeof longest);
        longest[0] = '/';
        longest[OPTIONS_DIRECTORY_MAX + 1] = '\0';
        assert_int_equal(benchd_options_set(options, "see", longest), BENCHD_E_BAD_OPTION);
        longest[OPTIONS_DIRECTORY_MAX] = '\0';
        assert_int_equal(benchd_options_set(options, "see", longest), 0);
}

TEST(the_largest_seed_is_kept_to_its_last_digit) {
        assert_int_equal(benchd_options_set(options, "seed", "9223372036854775807"), 0);
        assert_int_equal(options->request.seed, 9223372036854775807);
        assert_int_equal(benchd_options_set(options, "seed", "9223372036854775808"), BENCHD_E_BAD_OPTION);
        assert_non_null(strstr(benchd_options_problem(options), "from 0 to 9223372036854775807,"));
}

static const char *const bad_settings[][2] = {
        { "processes", "0" },
        { "processes", "1001" },
        { "processes", "-1" },
        { "processes", "+1" },
        { "processes", " 1" },
        { "processes", "1 " },
        { "processes", "1.5" },
        { "processes", "" },
        { "processes", "ten" },
        { "processes", "99999999999999999999999" },
        { "samples", "4097" },
        { "samples", "0x10" },
        { "budget", "0" },
        { "budget", "." },
        { "budget", "1." },
        { "budget", ".5" },
        { "budget", "1e3" },
        { "budget", "nan" },
        { "budget", "inf" },
        { "budget", "1.2.3" },
        { "timeout", "1000000000" },
        { "timeout", "1s" },
        { "quick", "yes" },
        { "processes", NULL },
        { "no-such-option", "1" },
        { "", "1" },
};

TEST(what_a_row_cannot_take_is_refused_and_changes_nothing) {
        for (size_t i = 0; i < N_ELEMENTS(bad_settings); i++) {
                const char *const *setting = bad_settings[i];

                set_up(NULL);
                print_message("%s=%s\n", setting[0], setting[1] ? setting[1] : "(nothing)");
                assert_int_equal(benchd_options_set(options, setting[0], setting[1]), BENCHD_E_BAD_OPTION);
                assert_true(strlen(benchd_options_problem(options)) > 0);
                assert_int_equal(packed_size(), 0);
        }
}

TEST(a_hundred_digits_are_refused_not_wrapped) {
        char digits[400];

        memset(digits, '9', sizeof digits - 1);
        digits[sizeof digits - 1] = '\0';
        assert_int_equal(benchd_options_set(options, "budget", digits), BENCHD_E_BAD_OPTION);
        digits[1] = '.';
        assert_int_equal(benchd_options_set(options, "budget", digits), BENCHD_E_BAD_OPTION);
}

TEST(filters_are_kept_in_order_up_to_their_number) {
        assert_int_equal(benchd_options_add_filter(options, ""), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_options_add_filter(options, "!"), BENCHD_E_BAD_OPTION);
        for (unsigned i = 0; i < OPTIONS_FILTERS_MAX; i++)
                assert_int_equal(benchd_options_add_filter(options, i == 1 ? "!b" : "a/*"), 0);
        assert_int_equal(benchd_options_add_filter(options, "one too many"), BENCHD_E_TOO_MANY);
        assert_string_equal(benchd_options_problem(options),
                        "a run takes at most 64 filters: a glob such as 'area/*' stands for several");
        assert_int_equal(options->request.n_filters, OPTIONS_FILTERS_MAX);
        assert_string_equal(options->request.filters[0], "a/*");
        assert_string_equal(options->request.filters[1], "!b");
}

TEST(variables_are_kept_up_to_their_bytes) {
        char variable[OPTIONS_ENVIRONMENT_BYTES_MAX];

        assert_int_equal(benchd_options_add_environment(options, "A"), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_options_add_environment(options, "=b"), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_options_add_environment(options, "A="), 0);

        memset(variable, '=', sizeof variable);
        variable[0] = 'B';
        variable[sizeof variable - 3] = '\0'; /* with its end two bytes less than the limit, and "A=" takes three */
        assert_int_equal(benchd_options_add_environment(options, variable), BENCHD_E_TOO_MANY);
        assert_string_equal(benchd_options_problem(options),
                        "the variables of --env take 4001 bytes, of at most 4000: bring long ones as a file (--input=FILE)");
        variable[sizeof variable - 4] = '\0';
        assert_int_equal(benchd_options_add_environment(options, variable), 0);
        assert_int_equal(options->request.n_environment, 2);
        assert_string_equal(options->request.environment[1], variable);
}
