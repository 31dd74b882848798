/* SPDX-License-Identifier: MIT */
#include "lib/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "lib/module-file.h"
#include "lib/number.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/glob.h"
#include "util/time.h"

typedef enum OptionKind {
        OPTION_FLAG,
        OPTION_COUNT,    /* a whole number */
        OPTION_BYTES,    /* a number of bytes, with a suffix or not */
        OPTION_DURATION, /* a number, with decimals, in the row's unit */
        OPTION_CPUS,     /* a list of CPUs; only one option has this kind */
        OPTION_WORD,     /* any word: the daemon knows which are valid; none where the value may be left out */
        OPTION_PERCENT,  /* a number in percent, with or without the sign; the field is a fraction */
        OPTION_PATH,     /* of a directory; the field is absolute, below the working directory where the value is not */
        OPTION_SEEN,     /* of a file or directory, in a list; as above, and without '.', '..' and needless slashes */
        OPTION_CHOICE,   /* one of the words of its value, joined by |; the field is the index of the word */
} OptionKind;

typedef struct OptionRow {
        benchd_option option;
        OptionKind kind;
        const char *field; /* its name in RunRequest */
        uint64_t unit_ns;  /* a duration's unit */
        double min;        /* in the option's own unit */
        double max;
} OptionRow;

/* 2^63: most JSON parsers hold smaller whole numbers, so the seed of a result can be typed again. */
#define SEED_END 9223372036854775808.0

#define ROW(name_, value_, help_, kind_, field_, unit_, min_, max_)                                                    \
 {                                                                                                                     \
  .option = { .name = name_, .value = value_, .help = help_, .supported = true }, .kind = kind_, .field = field_,      \
  .unit_ns = unit_, .min = min_, .max = max_                                                                           \
 }
#define FLAG(name, field, help)                   ROW(name, NULL, help, OPTION_FLAG, field, 0, 0, 0)
#define COUNT(name, value, field, min, max, help) ROW(name, value, help, OPTION_COUNT, field, 0, min, max)
#define DURATION(name, value, field, unit, min, max, help)                                                             \
 ROW(name, value, help, OPTION_DURATION, field, unit, min, max)
#define BYTES(name, field, min, max, help)   ROW(name, "SIZE", help, OPTION_BYTES, field, 0, min, max)
#define CPUS(name, value, help)              ROW(name, value, help, OPTION_CPUS, NULL, 0, 0, 0)
#define PERCENT(name, field, min, max, help) ROW(name, "P%", help, OPTION_PERCENT, field, 0, min, max)
#define WORD(name_, value_, words, field_, help_)                                                                      \
 {                                                                                                                     \
  .option = { .name = name_, .value = value_, .help = help_, .supported = true, .values = words },                     \
  .kind = OPTION_WORD, .field = field_                                                                                 \
 }
#define PATH(name_, field_, help_)                                                                                     \
 {                                                                                                                     \
  .option = { .name = name_, .value = "DIRECTORY", .help = help_, .supported = true }, .kind = OPTION_PATH,            \
  .field = field_                                                                                                      \
 }
#define SEEN(name_, field_, help_)                                                                                     \
 {                                                                                                                     \
  .option = { .name = name_, .value = "PATH", .help = help_, .supported = true }, .kind = OPTION_SEEN, .field = field_ \
 }
#define CHOICE(name_, value_, field_, help_)                                                                           \
 {                                                                                                                     \
  .option = { .name = name_, .value = value_, .help = help_, .supported = true, .values = value_ },                    \
  .kind = OPTION_CHOICE, .field = field_                                                                               \
 }

/* clang-format off */
/* The help lists them in this order: the most used first. */
static const OptionRow option_rows[] = {
        FLAG("quick", "quick",
             "a first look: 4 processes of 40 short samples"),
        PERCENT("precision", "precision", 0.01, 100,
                "run as many processes as an interval of ± P % needs"),
        COUNT("processes", "K", "processes", 1, 1000,
              "fresh processes for each benchmark (default 12)"),
        COUNT("samples", "N", "samples", 1, 4096,
              "samples in each process (default 200)"),
        DURATION("budget", "SECONDS", "budget_ns", NS_PER_S, 0.001, 86400,
                 "sample each benchmark for at most SECONDS (default 3)"),
        DURATION("timeout", "SECONDS", "timeout_ns", NS_PER_S, 0.1, 86400,
                 "kill a longer process (default: 10 times its plan)"),
        COUNT("threads", "N", "threads", 1, 64,
              "run each benchmark in N threads, not in the module's"),
        COUNT("cpus-per-run", "N", "cpus_per_run", 1, 64,
              "lend N CPUs to a body that starts threads (default 1)"),
        CPUS("cpus", "LIST",
             "measure on some of these CPUs, such as 2,4-7"),
        BYTES("stack", "stack_bytes", 1 << 20, 64.0 * (1 << 30),
              "give the body a stack of SIZE, such as 64M (default 8M)"),
        FLAG("memory", "memory",
             "count allocations, in one more process per benchmark"),
        PERCENT("margin", "margin", 0, 100,
                "call a smaller difference the same (default 0.5%)"),
        COUNT("seed", "N", "seed", 0, SEED_END,
              "seed of all random choices (a result reports its own)"),
        DURATION("min-time", "MS", "min_time_ns", NS_PER_MS, 0.001, 60000,
                 "least milliseconds of each sample (default 0.025)"),
        COUNT("iterations", "N", "iterations", 1, 1e12,
              "iterations per sample, instead of finding a count"),
        DURATION("warmup", "MS", "warmup_ns", NS_PER_MS, 0, 3600000,
                 "warm up so long, instead of until times are steady"),
        FLAG("no-prime", "no_prime",
             "do not report the first call by itself"),
        FLAG("cold", "cold",
             "empty the caches before each sample of one iteration"),
        FLAG("no-aslr", "no_aslr",
             "use one memory layout: no address is random"),
        PATH("dir", "directory",
             "work below DIRECTORY, on its disk, instead of in memory"),
        SEEN("see", "seen",
             "let the body read PATH, a file or directory, at its place"),
        CHOICE("prepare", "full|none", "unprepared",
               "none: unpinned, no SCHED_FIFO, like any other program"),
        CHOICE("clock", "wall|cpu", "cpu_time",
             "cpu: the time that a CPU is charged, without waiting"),
        FLAG("keep-samples", "keep_samples",
             "keep every sample in the result and in the history"),
        FLAG("trace", "trace",
             "report when each phase of a process began and ended"),
        WORD("method", "NAME", "benchd|measureit|stopwatch|softwx|macro|mark2|mark3|mark4|mark5|mark6|mark7|mark8|mark8setup", "method",
             "measure as an older harness does: see benchctl(1)"),
        WORD("scale", "[BENCHMARK]", NULL, "reference",
             "show times as multiples of BENCHMARK's (default: the module's reference)"),
        FLAG("detach", "detach",
             "print the job's id, for wait, and do not wait here"),
};
/* clang-format on */

DEFINE_CLEANUP(benchd_options *, benchd_options_free)

const benchd_option *benchd_option_at(size_t index) {
        return index < N_ELEMENTS(option_rows) ? &option_rows[index].option : NULL;
}

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

static void options_store(benchd_options *options, const char *name, uint64_t value) {
        const ProtobufCFieldDescriptor *field;
        char *request = (char *)&options->request;

        field = protobuf_c_message_descriptor_get_field_by_name(&benchd__run_request__descriptor, name);
        if (field->type == PROTOBUF_C_TYPE_UINT64)
                *(uint64_t *)(request + field->offset) = value;
        else if (field->type == PROTOBUF_C_TYPE_BOOL)
                *(protobuf_c_boolean *)(request + field->offset) = value;
        else
                *(uint32_t *)(request + field->offset) = value;
        *(protobuf_c_boolean *)(request + field->quantifier_offset) = true;
}

static int options_refuse_range(benchd_options *options, const OptionRow *row, const char *value) {
        if (row->kind == OPTION_COUNT)
                return options_refuse(options, "--%s takes a whole number from %.0f to %" PRIu64 ", not '%s'",
                                row->option.name, row->min,
                                row->max < SEED_END ? (uint64_t)row->max : (uint64_t)INT64_MAX, value);
        return options_refuse(options, "--%s takes a number from %.16g to %.16g, not '%s'", row->option.name, row->min,
                        row->max, value);
}

static int options_set_flag(benchd_options *options, const OptionRow *row, const char *value) {
        if (value)
                return options_refuse(options, "--%s takes no value", row->option.name);
        options_store(options, row->field, true);
        return 0;
}

static int options_set_count(benchd_options *options, const OptionRow *row, const char *value) {
        uint64_t count;

        if (!number_read_whole(value, &count) || count < (uint64_t)row->min || (double)count > row->max)
                return options_refuse_range(options, row, value);
        options_store(options, row->field, count);
        return 0;
}

static int options_set_bytes(benchd_options *options, const OptionRow *row, const char *value) {
        uint64_t bytes;

        if (!number_read_bytes(value, &bytes) || (double)bytes < row->min || (double)bytes > row->max)
                return options_refuse(options, "--%s takes a size from %.0fM to %.0fG, such as 64M, not '%s'",
                                row->option.name, row->min / (1 << 20), row->max / (1 << 30), value);
        options_store(options, row->field, bytes);
        return 0;
}

static int options_set_duration(benchd_options *options, const OptionRow *row, const char *value) {
        double duration;

        if (!number_read_decimal(value, &duration) || duration < row->min || !(duration <= row->max))
                return options_refuse_range(options, row, value);
        options_store(options, row->field, (uint64_t)(duration * (double)row->unit_ns + 0.5));
        return 0;
}

static void options_store_fraction(benchd_options *options, const char *name, double value) {
        const ProtobufCFieldDescriptor *field;
        char *request = (char *)&options->request;

        field = protobuf_c_message_descriptor_get_field_by_name(&benchd__run_request__descriptor, name);
        *(double *)(request + field->offset) = value;
        *(protobuf_c_boolean *)(request + field->quantifier_offset) = true;
}

static int options_set_percent(benchd_options *options, const OptionRow *row, const char *value) {
        double percent;

        if (!number_read_percent(value, &percent) || percent < row->min || !(percent <= row->max))
                return options_refuse_range(options, row, value);
        options_store_fraction(options, row->field, percent / 100);
        return 0;
}

static int options_set_choice(benchd_options *options, const OptionRow *row, const char *value) {
        const char *words = row->option.value;

        for (uint64_t i = 0; *words; i++) {
                size_t n = strcspn(words, "|");

                if (strlen(value) == n && strncmp(value, words, n) == 0) {
                        options_store(options, row->field, i);
                        return 0;
                }
                words += n + (words[n] == '|');
        }
        return options_refuse(options, "--%s takes one of %s, not '%s'", row->option.name, row->option.value, value);
}

static int options_set_cpus(benchd_options *options, const OptionRow *row, const char *value) {
        _cleanup_(freep) uint32_t *cpus = NULL;
        cpu_set_t set;
        size_t n = 0;

        if (cpu_list_parse(value, &set) > 0 || CPU_COUNT(&set) == 0)
                return options_refuse(options,
                                "--%s takes a list of CPUs below %d in rising order, such as 2,4-7, not '%s'",
                                row->option.name, CPU_SETSIZE, value);
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

static int options_store_word(benchd_options *options, const OptionRow *row, const char *value) {
        const ProtobufCFieldDescriptor *field;
        char **place, *copy;

        field = protobuf_c_message_descriptor_get_field_by_name(&benchd__run_request__descriptor, row->field);
        place = (char **)((char *)&options->request + field->offset);
        copy = strdup(value);
        if (!copy)
                return error_origin(-ENOMEM);
        free(*place);
        *place = copy;
        return 0;
}

static int options_set_word(benchd_options *options, const OptionRow *row, const char *value) {
        if (!*value)
                return options_refuse(options, "--%s needs a value: --%s=%s", row->option.name, row->option.name,
                                row->option.value);
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

static int options_set_path(benchd_options *options, const OptionRow *row, const char *value) {
        char path[OPTIONS_PATH_MAX];
        int r;

        r = path_make_absolute(value, path);
        if (r)
                return error_trace(r);
        if (!*value || strlen(path) > OPTIONS_DIRECTORY_MAX)
                return options_refuse(options,
                                "--%s takes a directory, of at most %u bytes with those above it, not '%s'",
                                row->option.name, OPTIONS_DIRECTORY_MAX, value);
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

static int options_add_seen(benchd_options *options, const OptionRow *row, const char *value) {
        char path[OPTIONS_PATH_MAX];
        int r;

        r = path_make_absolute(value, path);
        if (r)
                return error_trace(r);
        path_simplify(path);
        if (!*value || strlen(path) > OPTIONS_DIRECTORY_MAX)
                return options_refuse(options, "--%s takes a path of at most %u bytes, not '%s'", row->option.name,
                                OPTIONS_DIRECTORY_MAX, value);
        if (options->request.n_seen == OPTIONS_SEEN_MAX)
                return options_refuse(options, "a run sees at most %u paths of --%s: name a directory above them",
                                OPTIONS_SEEN_MAX, row->option.name);
        return error_trace(strings_append(&options->request.seen, &options->request.n_seen, path));
}

static int options_set_row(benchd_options *options, const OptionRow *row, const char *value) {
        if (row->kind == OPTION_FLAG)
                return options_set_flag(options, row, value);
        if (!value && *row->option.value == '[')
                return options_store_word(options, row, "");
        if (!value)
                return options_refuse(options, "--%s needs a value: --%s=%s", row->option.name, row->option.name,
                                row->option.value);
        if (row->kind == OPTION_COUNT)
                return options_set_count(options, row, value);
        if (row->kind == OPTION_BYTES)
                return options_set_bytes(options, row, value);
        if (row->kind == OPTION_CPUS)
                return options_set_cpus(options, row, value);
        if (row->kind == OPTION_WORD)
                return options_set_word(options, row, value);
        if (row->kind == OPTION_PATH)
                return options_set_path(options, row, value);
        if (row->kind == OPTION_SEEN)
                return options_add_seen(options, row, value);
        if (row->kind == OPTION_PERCENT)
                return options_set_percent(options, row, value);
        if (row->kind == OPTION_CHOICE)
                return options_set_choice(options, row, value);
        return options_set_duration(options, row, value);
}

int benchd_options_set(benchd_options *options, const char *name, const char *value) {
        for (size_t i = 0; i < N_ELEMENTS(option_rows); i++)
                if (strcmp(option_rows[i].option.name, name) == 0)
                        return options_set_row(options, &option_rows[i], value);
        return options_refuse(options, "unknown option '--%s'", name);
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
