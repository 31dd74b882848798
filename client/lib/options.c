/* SPDX-License-Identifier: MIT */
#include "lib/options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "benchd/client.h"
#include "lib/module-file.h"
#include "lib/number.h"
#include "proto/run-request.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/glob.h"

/* ---- the table, as it is public */

static benchd_option public_rows[RUN_OPTIONS_MAX];

static void public_rows_fill(void) {
        const RunOption *row;

        for (size_t i = 0; (row = run_option_at(i)); i++)
                public_rows[i] = (benchd_option){
                        .name = row->name,
                        .value = row->value,
                        .help = row->help,
                        .values = row->words,
                };
}

const benchd_option *benchd_option_at(size_t index) {
        static once_flag filled = ONCE_FLAG_INIT;

        call_once(&filled, public_rows_fill);
        return run_option_at(index) ? &public_rows[index] : NULL;
}

/* ---- a run's options */

int benchd_options_new(benchd_options **ret_options) {
        benchd_options *options;

        options = calloc(1, sizeof *options);
        if (!options)
                return error_origin(-ENOMEM);
        benchd__run_request__init(&options->request);
        *ret_options = options;
        return 0;
}

static void strings_free(char **strings, size_t n_strings) {
        for (size_t i = 0; i < n_strings; i++)
                free(strings[i]);
        free(strings);
}

static void parameter_free(Benchd__CommandParameter *parameter) {
        free(parameter->name);
        free(parameter->value);
        free(parameter);
}

benchd_options *benchd_options_free(benchd_options *options) {
        if (!options)
                return NULL;
        strings_free(options->request.filters, options->request.n_filters);
        free(options->request.cpus);
        strings_free(options->request.environment, options->request.n_environment);
        for (size_t i = 0; i < options->request.n_input_names; i++)
                fd_close(options->input_fds[i]);
        strings_free(options->request.input_names, options->request.n_input_names);
        free(options->request.method);
        free(options->request.reference);
        free(options->request.directory);
        strings_free(options->request.seen, options->request.n_seen);
        strings_free(options->request.commands, options->request.n_commands);
        for (size_t i = 0; i < options->request.n_parameters; i++)
                parameter_free(options->request.parameters[i]);
        free(options->request.parameters);
        free(options);
        return NULL;
}

/* Notes the sentence. Returns @outcome. */
__attribute__((format(printf, 3, 4))) static int options_fail_as(benchd_options *options, int outcome,
                const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(options->problem, sizeof options->problem, format, arguments);
        va_end(arguments);
        return outcome;
}

#define options_refuse(options, ...) options_fail_as(options, BENCHD_E_BAD_OPTION, __VA_ARGS__)

const char *benchd_options_problem(const benchd_options *options) {
        return options->problem;
}

bool benchd_options_detach(const benchd_options *options) {
        return options->request.detach;
}

/* ---- a value in words → a field */

/* The form of a number, with the unit in which it is typed. */
static const char *number_form(const RunOption *row) {
        if (row->kind == RUN_OPTION_COUNT)
                return "a whole number";
        if (row->kind == RUN_OPTION_BYTES)
                return "a size";
        if (strcmp(row->value, "SECONDS") == 0)
                return "a number of seconds";
        return strcmp(row->value, "MS") == 0 ? "a number of milliseconds" : "a number";
}

/* Refuses a value of another form, or out of its range. */
static int options_refuse_number(benchd_options *options, const RunOption *row, const char *value) {
        char range[RUN_OPTION_RANGE_MAX];

        return options_refuse(options, "--%s takes %s from %s%s, not '%s'", row->name, number_form(row),
                        run_option_range(row, range), row->kind == RUN_OPTION_BYTES ? ", such as 64M" : "", value);
}

/* Reads a number in the unit of its field. */
static bool number_read(const RunOption *row, const char *value, uint64_t *ret_number) {
        double typed;

        if (row->kind == RUN_OPTION_COUNT)
                return number_read_whole(value, ret_number);
        if (row->kind == RUN_OPTION_BYTES)
                return number_read_bytes(value, ret_number);
        if (!number_read_decimal(value, &typed) || !(typed <= row->most))
                return false;
        *ret_number = (uint64_t)(typed * (double)row->unit_ns + 0.5);
        return true;
}

static int options_set_number(benchd_options *options, const RunOption *row, const char *value) {
        uint64_t number;

        if (!number_read(row, value, &number) || number < run_option_field_least(row) ||
                        number > run_option_field_most(row))
                return options_refuse_number(options, row, value);
        run_request_set_number(&options->request, row, number);
        return 0;
}

static int options_set_percent(benchd_options *options, const RunOption *row, const char *value) {
        double percent;

        if (!number_read_percent(value, &percent) || percent < row->least || !(percent <= row->most))
                return options_refuse_number(options, row, value);
        run_request_set_fraction(&options->request, row, percent / 100);
        return 0;
}

static int options_set_choice(benchd_options *options, const RunOption *row, const char *value) {
        const char *words = row->words;

        for (uint64_t i = 0; *words; i++) {
                size_t n = strcspn(words, "|");

                if (strlen(value) == n && strncmp(value, words, n) == 0) {
                        run_request_set_number(&options->request, row, i);
                        return 0;
                }
                words += n + (words[n] == '|');
        }
        return options_refuse(options, "--%s takes one of %s, not '%s'", row->name, row->words, value);
}

static int options_set_cpus(benchd_options *options, const RunOption *row, const char *value) {
        _cleanup_(freep) uint32_t *cpus = NULL;
        cpu_set_t set;
        size_t n = 0;

        if (cpu_list_parse(value, &set) > 0 || CPU_COUNT(&set) == 0)
                return options_refuse(options,
                                "--%s takes a list of CPUs below %d in rising order, such as 2,4-7, not '%s'",
                                row->name, CPU_SETSIZE, value);
        cpus = calloc(CPU_COUNT(&set), sizeof *cpus);
        if (!cpus)
                return error_origin(-ENOMEM);
        for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set))
                        cpus[n++] = cpu;
        free(options->request.cpus);
        options->request.cpus = take_pointer(cpus);
        options->request.n_cpus = n;
        return 0;
}

static int options_store_word(benchd_options *options, const RunOption *row, const char *value) {
        char **place = run_request_text(&options->request, row), *copy = strdup(value);

        if (!copy)
                return error_origin(-ENOMEM);
        free(*place);
        *place = copy;
        return 0;
}

static int options_set_word(benchd_options *options, const RunOption *row, const char *value) {
        if (!*value)
                return options_refuse(options, "--%s needs a value: --%s=%s", row->name, row->name, row->value);
        return options_store_word(options, row, value);
}

#define OPTIONS_PATH_MAX (2 * PATH_MAX)

/* Writes @value, below the working directory where it is not absolute, and cut off where it is too long to be meant. */
static int path_make_absolute(const char *value, char ret_path[static OPTIONS_PATH_MAX]) {
        char working[PATH_MAX] = "";

        if (*value != '/' && !getcwd(working, sizeof working))
                return error_origin(-errno);
        snprintf(ret_path, OPTIONS_PATH_MAX, "%s%s%s", working, *value == '/' ? "" : "/", value);
        return 0;
}

/* Takes '.', '..' and needless slashes out of the absolute @path by its words alone, as a shell's cd does. */
static void path_simplify(char *path) {
        char *end = path;

        for (const char *at = path + strspn(path, "/"); *at; at += strspn(at, "/")) {
                const size_t n = strcspn(at, "/");

                if (n == 2 && memcmp(at, "..", 2) == 0) {
                        while (end > path && *--end != '/')
                                ;
                } else if (n != 1 || *at != '.') {
                        *end++ = '/';
                        memmove(end, at, n);
                        end += n;
                }
                at += n;
        }
        if (end == path)
                *end++ = '/';
        *end = '\0';
}

static int options_set_path(benchd_options *options, const RunOption *row, const char *value) {
        char path[OPTIONS_PATH_MAX];
        int r;

        r = path_make_absolute(value, path);
        if (r)
                return error_trace(r);
        if (!*value || strlen(path) > OPTIONS_DIRECTORY_MAX)
                return options_refuse(options,
                                "--%s takes a directory, of at most %u bytes with those above it, not '%s'", row->name,
                                OPTIONS_DIRECTORY_MAX, value);
        return options_store_word(options, row, path);
}

static int strings_append(char ***strings, size_t *n_strings, const char *string) {
        _cleanup_(freep) char *copy = NULL;
        char **grown;

        copy = strdup(string);
        if (!copy)
                return error_origin(-ENOMEM);
        grown = reallocarray(*strings, *n_strings + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        *strings = grown;
        grown[(*n_strings)++] = take_pointer(copy);
        return 0;
}

static int options_add_seen(benchd_options *options, const RunOption *row, const char *value) {
        char path[OPTIONS_PATH_MAX];
        int r;

        r = path_make_absolute(value, path);
        if (r)
                return error_trace(r);
        path_simplify(path);
        if (!*value || strlen(path) > OPTIONS_DIRECTORY_MAX)
                return options_refuse(options, "--%s takes a path of at most %u bytes, not '%s'", row->name,
                                OPTIONS_DIRECTORY_MAX, value);
        if (options->request.n_seen == OPTIONS_SEEN_MAX)
                return options_refuse(options, "a run sees at most %u paths of --%s: name a directory above them",
                                OPTIONS_SEEN_MAX, row->name);
        return error_trace(strings_append(&options->request.seen, &options->request.n_seen, path));
}

static int options_set_row(benchd_options *options, const RunOption *row, const char *value) {
        static int (*const setters[])(benchd_options *, const RunOption *, const char *) = {
                [RUN_OPTION_COUNT] = options_set_number,
                [RUN_OPTION_BYTES] = options_set_number,
                [RUN_OPTION_DURATION] = options_set_number,
                [RUN_OPTION_PERCENT] = options_set_percent,
                [RUN_OPTION_CPUS] = options_set_cpus,
                [RUN_OPTION_WORD] = options_set_word,
                [RUN_OPTION_CHOICE] = options_set_choice,
                [RUN_OPTION_PATH] = options_set_path,
                [RUN_OPTION_PATHS] = options_add_seen,
        };

        if (row->kind == RUN_OPTION_FLAG) {
                if (value)
                        return options_refuse(options, "--%s takes no value", row->name);
                run_request_set_number(&options->request, row, true);
                return 0;
        }
        if (!value && *row->value == '[')
                return options_store_word(options, row, "");
        if (!value)
                return options_refuse(options, "--%s needs a value: --%s=%s", row->name, row->name, row->value);
        return setters[row->kind](options, row, value);
}

int benchd_options_set(benchd_options *options, const char *name, const char *value) {
        const RunOption *row = run_option_find(name);

        if (!row)
                return options_refuse(options, "unknown option '--%s'", name);
        return options_set_row(options, row, value);
}

/* ---- lists */

int benchd_options_add_filter(benchd_options *options, const char *filter) {
        int r;

        if (!*filter || strcmp(filter, "!") == 0)
                return options_refuse(options, "'%s' is not a filter: write a glob over area/benchmark/arg=value",
                                filter);
        r = glob_check(filter + (*filter == '!'));
        if (r > 0)
                return options_refuse(options, "'%s' is not a filter: it %s", filter, glob_outcome_words(r));
        if (options->request.n_filters == OPTIONS_FILTERS_MAX)
                return options_fail_as(options, BENCHD_E_TOO_MANY,
                                "a run takes at most %u filters: a glob such as 'area/*' stands for several",
                                OPTIONS_FILTERS_MAX);
        return error_trace(strings_append(&options->request.filters, &options->request.n_filters, filter));
}

void benchd_options_clear_filters(benchd_options *options) {
        strings_free(options->request.filters, options->request.n_filters);
        options->request.filters = NULL;
        options->request.n_filters = 0;
}

int benchd_options_add_environment(benchd_options *options, const char *assignment) {
        const char *equals = strchr(assignment, '=');
        size_t n_bytes = options->n_environment_bytes + strlen(assignment) + 1;
        int r;

        if (!equals || equals == assignment)
                return options_refuse(options, "--env takes NAME=VALUE, not '%s'", assignment);
        if (options->request.n_environment == OPTIONS_ENVIRONMENT_MAX)
                return options_fail_as(options, BENCHD_E_TOO_MANY,
                                "a run takes at most %u variables of --env: bring a file of them (--input=FILE)",
                                OPTIONS_ENVIRONMENT_MAX);
        if (n_bytes > OPTIONS_ENVIRONMENT_BYTES_MAX)
                return options_fail_as(options, BENCHD_E_TOO_MANY,
                                "the variables of --env take %zu bytes, of at most %u: bring long ones as a file (--input=FILE)",
                                n_bytes, OPTIONS_ENVIRONMENT_BYTES_MAX);
        r = strings_append(&options->request.environment, &options->request.n_environment, assignment);
        if (r)
                return error_trace(r);
        options->n_environment_bytes = n_bytes;
        return 0;
}

int benchd_options_add_command(benchd_options *options, const char *text) {
        const size_t n_bytes = options->n_command_bytes + strlen(text);
        int r;

        if (options->request.n_commands == OPTIONS_COMMANDS_MAX || n_bytes > OPTIONS_COMMANDS_BYTES_MAX)
                return options_fail_as(options, BENCHD_E_TOO_MANY,
                                "a run takes at most %u commands, of %u bytes in all", OPTIONS_COMMANDS_MAX,
                                OPTIONS_COMMANDS_BYTES_MAX);
        r = strings_append(&options->request.commands, &options->request.n_commands, text);
        if (r)
                return error_trace(r);
        options->n_command_bytes = n_bytes;
        return 0;
}

static int parameters_append(Benchd__RunRequest *request, const char *name, const char *value) {
        Benchd__CommandParameter **grown, *parameter = malloc(sizeof *parameter);

        if (!parameter)
                return error_origin(-ENOMEM);
        benchd__command_parameter__init(parameter);
        parameter->has_command = true;
        parameter->command = (uint32_t)request->n_commands - 1;
        parameter->name = strdup(name);
        parameter->value = strdup(value);
        grown = reallocarray(request->parameters, request->n_parameters + 1, sizeof *grown);
        if (grown)
                request->parameters = grown;
        if (!grown || !parameter->name || !parameter->value) {
                parameter_free(parameter);
                return error_origin(-ENOMEM);
        }
        grown[request->n_parameters++] = parameter;
        return 0;
}

int benchd_options_add_parameter(benchd_options *options, const char *name, const char *value) {
        const size_t n_bytes = options->n_command_bytes + strlen(name) + strlen(value);
        int r;

        if (options->request.n_commands == 0)
                return options_refuse(options, "the parameter '%s' is of no command", name);
        if (options->request.n_parameters == OPTIONS_PARAMETERS_MAX || n_bytes > OPTIONS_COMMANDS_BYTES_MAX)
                return options_fail_as(options, BENCHD_E_TOO_MANY,
                                "a run takes at most %u parameters of commands, with these of %u bytes in all",
                                OPTIONS_PARAMETERS_MAX, OPTIONS_COMMANDS_BYTES_MAX);
        r = parameters_append(&options->request, name, value);
        if (r)
                return error_trace(r);
        options->n_command_bytes = n_bytes;
        return 0;
}

/* Two inputs of one name would be one file. */
static bool has_input(const benchd_options *options, const char *name) {
        for (size_t i = 0; i < options->request.n_input_names; i++)
                if (strcmp(options->request.input_names[i], name) == 0)
                        return true;
        return false;
}

int benchd_options_add_input(benchd_options *options, const char *path) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        if (options->request.n_input_names == OPTIONS_INPUTS_MAX)
                return options_fail_as(options, BENCHD_E_TOO_MANY,
                                "a run takes at most %u inputs: bring several files as one", OPTIONS_INPUTS_MAX);
        r = module_file_read_input(path, &file);
        if (r == BENCHD_E_TOO_LARGE || (r == 0 && file.size > BENCHD_PIPE_BYTES_MAX))
                return options_fail_as(options, BENCHD_E_TOO_LARGE,
                                "%.80s is larger than the %u MiB that an input may have: bring it in parts", path,
                                (unsigned)(BENCHD_PIPE_BYTES_MAX >> 20));
        if (r)
                return error_trace(r);
        if (has_input(options, file.name))
                return options_refuse(options, "two inputs are named %s, and the body opens one by that name",
                                file.name);
        r = strings_append(&options->request.input_names, &options->request.n_input_names, file.name);
        if (r)
                return error_trace(r);
        options->input_fds[options->request.n_input_names - 1] = fd_take(&file.fd);
        if (file.size > options->input_bytes_most)
                options->input_bytes_most = file.size;
        return 0;
}
