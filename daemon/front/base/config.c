/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/config.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

#include "front/base/allow-list.h"
#include "front/base/machine-identity.h"
#include "front/base/text.h"
#include "util/error.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

#define CONFIG_TASKS_ALONE 1024u /* of a run whose user has the daemon to itself */

#define CONFIG_BLANKS    " \t\n\v\f\r"
#define CONFIG_NAMES_MAX 512u /* bytes of a list of sections or options */

/* ---- the options */

static const ConfigWord config_levels[] = {
        { "error", LOG_ERR },
        { "warning", LOG_WARNING },
        { "notice", LOG_NOTICE },
        { "info", LOG_INFO },
        { "debug", LOG_DEBUG },
        {},
};

/* clang-format off */
static const ConfigOption config_options[] = {
        {
                "queue", "jobs", CONFIG_TYPE_COUNT, "64", 1, 4096, NULL, offsetof(Config, jobs),
                "Maximum number of jobs (runs and lists), waiting or under way. Further jobs are refused as busy.",
        }, {
                "queue", "jobs_per_user", CONFIG_TYPE_COUNT, "8", 1, 4096, NULL, offsetof(Config, jobs_per_user),
                "Maximum per user.",
        }, {
                "queue", "jobs_for_root", CONFIG_TYPE_COUNT, "4", 0, 4095, NULL, offsetof(Config, jobs_for_root),
                "Places of jobs= that only root may take. One place at least is left to the others.",
        }, {
                "queue", "at_once", CONFIG_TYPE_COUNT, "1", 1, 64, NULL, offsetof(Config, at_once),
                "Runs measured at the same time, each on separate cores. They share caches, memory and power; a "
                "result names the caches.",
        }, {
                "queue", "core_time_per_hour", CONFIG_TYPE_SECONDS, "1800", 0, 3600000, NULL,
                offsetof(Config, core_time_per_hour_s),
                "Time of leased cores that each user may use in an hour. A user beyond it waits until no other user does. "
                "Root has no limit; 0 sets none.",
        }, {
                "connections", "clients", CONFIG_TYPE_COUNT, "256", 1, 2048, NULL, offsetof(Config, clients),
                "Maximum number of open connections. Each takes an open file, and each job up to 52. benchd does not start where the "
                "limit of open files (LimitNOFILE= of the units) is too low for what is set; a default is lowered instead.",
        }, {
                "connections", "clients_per_user", CONFIG_TYPE_COUNT, "64", 1, 2048, NULL,
                offsetof(Config, clients_per_user),
                "Maximum per user.",
        }, {
                "connections", "clients_for_root", CONFIG_TYPE_COUNT, "8", 0, 2047, NULL,
                offsetof(Config, clients_for_root),
                "Connections of clients= that only root may open. One at least is left to the others.",
        }, {
                "connections", "patience", CONFIG_TYPE_SECONDS, "10", 1, 3600, NULL, offsetof(Config, patience_s),
                "Time limit for a connection's greeting, and for each frame from its first byte to its last.",
        }, {
                "memory", "unread", CONFIG_TYPE_BYTES, "64M", 4 * MIB, 64 * GIB, NULL, offsetof(Config, unread_bytes),
                "Replies that clients have not read yet. Beyond it, the connection whose reply does not fit is closed. "
                "The last eighth is for root, as far as one user's maximum is left.",
        }, {
                "memory", "unread_per_user", CONFIG_TYPE_BYTES, "8M", 4 * MIB, 64 * GIB, NULL,
                offsetof(Config, unread_per_user_bytes),
                "Maximum per user.",
        }, {
                "memory", "results", CONFIG_TYPE_BYTES, "128M", MIB, 64 * GIB, NULL, offsetof(Config, results_bytes),
                "Results of jobs under way, until they are stored. A job whose results exceed it sends them, but stores "
                "none.",
        }, {
                "memory", "results_per_user", CONFIG_TYPE_BYTES, "64M", MIB, 64 * GIB, NULL,
                offsetof(Config, results_per_user_bytes),
                "Maximum per user.",
        }, {
                "memory", "recalled", CONFIG_TYPE_BYTES, "128M", MIB, 64 * GIB, NULL, offsetof(Config, recalled_bytes),
                "Stored modules of earlier jobs that are measured again, while they are copied and measured.",
        }, {
                "memory", "recalled_per_user", CONFIG_TYPE_BYTES, "64M", MIB, 64 * GIB, NULL,
                offsetof(Config, recalled_per_user_bytes),
                "Maximum per user.",
        }, {
                "memory", "samples", CONFIG_TYPE_BYTES, "192M", MIB, 64 * GIB, NULL, offsetof(Config, samples_bytes),
                "Samples of runs under way, until their benchmark is reported: 16 bytes each. A run that exceeds it ends "
                "with an error.",
        }, {
                "memory", "samples_per_user", CONFIG_TYPE_BYTES, "96M", MIB, 64 * GIB, NULL,
                offsetof(Config, samples_per_user_bytes),
                "Maximum per user.",
        }, {
                "run", "timeout_max", CONFIG_TYPE_SECONDS, "600", 1, 86400, NULL, offsetof(Config, timeout_max_s),
                "Longest time limit of a process of a run, requested or planned.",
        }, {
                "run", "listing_timeout", CONFIG_TYPE_SECONDS, "10", 1, 600, NULL, offsetof(Config, listing_timeout_s),
                "Time limit for loading a module when its benchmarks are listed; up to six times as long while it waits for a CPU on a "
                "busy machine.",
        }, {
                "run", "memory_max", CONFIG_TYPE_BYTES, "0", 0, 64 * TIB, NULL, offsetof(Config, memory_max_bytes),
                "Maximum memory of all processes of a run together. A run that reaches it is killed. 0 means three "
                "quarters of the machine's memory.",
        }, {
                "run", "address_space_max", CONFIG_TYPE_BYTES, "0", 0, 128 * TIB, NULL,
                offsetof(Config, address_space_max_bytes),
                "Largest address space of a process where no control group bounds the memory of its run; elsewhere there is no "
                "such limit. 0 means the size of the machine's memory.",
        }, {
                "run", "tasks_max", CONFIG_TYPE_COUNT, "64", 1, 65536, NULL, offsetof(Config, tasks_max),
                "Maximum number of processes and threads of a run, besides the threads that measure. Beyond it fork "
                "and clone fail.",
        }, {
                "run", "command_tasks_max", CONFIG_TYPE_COUNT, "4096", 1, 65536, NULL, offsetof(Config, command_tasks_max),
                "The same of a run of whole commands (benchctl exec), which may be a build on all CPUs. TasksMax= of benchd-launch.service "
                "bounds all runs together.",
        }, {
                "run", "stack_max", CONFIG_TYPE_BYTES, "1G", 8 * MIB, 64 * GIB, NULL, offsetof(Config, stack_max_bytes),
                "Largest stack that a run may ask for (--stack). Only what a benchmark uses of it is memory of its run.",
        }, {
                "history", "module_quota", CONFIG_TYPE_BYTES, "1G", MIB, 64 * TIB, NULL,
                offsetof(Config, module_quota_bytes),
                "Total size of the stored modules. Beyond it, the user who holds most loses the module that was used longest "
                "ago. Pinned modules stay; all pins together take at most half of the quota.",
        }, {
                "history", "module_quota_per_user", CONFIG_TYPE_BYTES, "256M", MIB, 64 * TIB, NULL,
                offsetof(Config, module_quota_per_user_bytes),
                "Maximum per user. Beyond it, the module that was used longest ago is removed. Pins take at most half of "
                "the quota.",
        }, {
                "history", "keep", CONFIG_TYPE_DAYS, "730", 1, 36500, NULL, offsetof(Config, keep_days),
                "Age at which a job may be removed from the history, counted back from the newest job. Pinned jobs stay. At most a tenth "
                "of the jobs is removed in a day, and none while the clock is not synchronised (timedatectl(1)).",
        }, {
                "history", "keep_per_user", CONFIG_TYPE_BYTES, "256M", MIB, 64 * TIB, NULL,
                offsetof(Config, keep_per_user_bytes),
                "Total size of the results of one user. Beyond it, the oldest jobs are removed. Pinned jobs "
                "stay, and take at most half of it.",
        }, {
                "machine", "machine_name", CONFIG_TYPE_MACHINE_NAME, MACHINE_NAME_HOST, 0, 0, NULL,
                offsetof(Config, machine_name),
                "Name of the machine in results and in the status. A change of the host name takes effect at the next start of "
                "benchd.",
        }, {
                "access", "run", CONFIG_TYPE_ALLOW_LIST, "*", 0, 0, NULL, offsetof(Config, access_run),
                "Users and groups who may run and compare benchmarks, if they may connect. For each option of this "
                "section, root is always allowed, and so are users whom polkit authorises: here for org.benchd.run.",
        }, {
                "access", "list", CONFIG_TYPE_ALLOW_LIST, "*", 0, 0, NULL, offsetof(Config, access_list),
                "Users and groups who may list the benchmarks of a module, and inspect its machine code (org.benchd.list).",
        }, {
                "access", "status", CONFIG_TYPE_ALLOW_LIST, "*", 0, 0, NULL, offsetof(Config, access_status),
                "Users and groups who may ask for the status of daemon and machine (org.benchd.status).",
        }, {
                "access", "history", CONFIG_TYPE_ALLOW_LIST, "root", 0, 0, NULL, offsetof(Config, access_history),
                "Users and groups who may see other users' jobs and results, and wait for them (org.benchd.history). Everyone sees "
                "their own.",
        }, {
                "access", "cancel", CONFIG_TYPE_ALLOW_LIST, "root", 0, 0, NULL, offsetof(Config, access_cancel),
                "Users and groups who may cancel and pin other users' jobs (org.benchd.cancel).",
        }, {
                "access", "set_governor", CONFIG_TYPE_ALLOW_LIST, "root", 0, 0, NULL, offsetof(Config, set_governor),
                "Users and groups who may set the CPU frequency governor (org.benchd.set-governor).",
        }, {
                "access", "drop_caches", CONFIG_TYPE_ALLOW_LIST, "root", 0, 0, NULL, offsetof(Config, drop_caches),
                "Users and groups who may have the page cache dropped before each run of a command (benchctl exec --cold=all; "
                "org.benchd.drop-caches). It is that of the machine: every program reads its files from the disk again, so a "
                "machine with other work on it slows down for minutes.",
        }, {
                "log", "level", CONFIG_TYPE_WORD, "info", 0, 0, config_levels, offsetof(Config, log_level),
                "Least important level that is logged.",
        },
};
/* clang-format on */

const ConfigOption *config_option_at(size_t index) {
        return index < N_ELEMENTS(config_options) ? &config_options[index] : NULL;
}

const ConfigOption *config_find(const char *section, const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(config_options); i++)
                if (strcmp(config_options[i].section, section) == 0 && strcmp(config_options[i].name, name) == 0)
                        return &config_options[i];
        return NULL;
}

/* ---- values, to and from text */

static int parse_word(const ConfigWord *words, const char *text, uint64_t *ret_value) {
        for (; words->word; words++)
                if (strcasecmp(words->word, text) == 0) {
                        *ret_value = words->value;
                        return 0;
                }
        return CONFIG_E_SYNTAX;
}

static uint64_t unit_of(char letter) {
        static const struct {
                char letter;
                uint64_t bytes;
        } units[] = { { 'K', KIB }, { 'M', MIB }, { 'G', GIB }, { 'T', TIB } };

        for (size_t i = 0; i < N_ELEMENTS(units); i++)
                if (units[i].letter == letter)
                        return units[i].bytes;
        return 0;
}

/* Digits, then for bytes at most one letter. A number beyond 64 bits is out of every range. */
static int parse_number(const ConfigOption *option, const char *text, uint64_t *ret_value) {
        uint64_t unit = 1, number;
        char *end;

        if (!isdigit((unsigned char)*text))
                return CONFIG_E_SYNTAX;
        errno = 0;
        number = strtoull(text, &end, 10);
        if (*end && option->type == CONFIG_TYPE_BYTES)
                unit = unit_of(*end++);
        if (*end || unit == 0)
                return CONFIG_E_SYNTAX;
        if (errno == ERANGE || number > option->most / unit || number * unit < option->least)
                return CONFIG_E_RANGE;
        *ret_value = number * unit;
        return 0;
}

static bool option_is_text(const ConfigOption *option) {
        return option->type == CONFIG_TYPE_ALLOW_LIST || option->type == CONFIG_TYPE_MACHINE_NAME;
}

static int check_text(const ConfigOption *option, const char *text) {
        const bool is_list = option->type == CONFIG_TYPE_ALLOW_LIST;

        if (is_list ? !allow_list_is_valid(text) : strcmp(text, MACHINE_NAME_HOST) != 0 && !machine_name_is_valid(text))
                return CONFIG_E_SYNTAX;
        return strlen(text) < (is_list ? CONFIG_VALUE_MAX : MACHINE_NAME_BYTES) ? 0 : CONFIG_E_RANGE;
}

int config_set(Config *config, const ConfigOption *option, const char *text) {
        char *field = (char *)config + option->offset;
        uint64_t value = 0;
        int r;

        if (option_is_text(option)) {
                r = check_text(option, text);
                if (r == 0)
                        strcpy(field, text);
                return r;
        }
        if (option->type == CONFIG_TYPE_WORD)
                r = parse_word(option->words, text, &value);
        else
                r = parse_number(option, text, &value);
        if (r == 0)
                memcpy(field, &value, sizeof value);
        return r;
}

static void print_number(const ConfigOption *option, uint64_t value, char text[static CONFIG_VALUE_MAX]) {
        static const char letters[] = "TGMK";

        for (const char *letter = letters; option->type == CONFIG_TYPE_BYTES && *letter; letter++)
                if (value > 0 && value % unit_of(*letter) == 0) {
                        snprintf(text, CONFIG_VALUE_MAX, "%" PRIu64 "%c", value / unit_of(*letter), *letter);
                        return;
                }
        snprintf(text, CONFIG_VALUE_MAX, "%" PRIu64, value);
}

void config_print(const Config *config, const ConfigOption *option, char ret_text[static CONFIG_VALUE_MAX]) {
        const ConfigWord *words = option->words;
        const char *field = (const char *)config + option->offset;
        uint64_t value;

        if (option_is_text(option)) {
                snprintf(ret_text, CONFIG_VALUE_MAX, "%s", field);
                return;
        }
        memcpy(&value, field, sizeof value);
        if (!words) {
                print_number(option, value, ret_text);
                return;
        }
        while (words->word && words->value != value)
                words++;
        snprintf(ret_text, CONFIG_VALUE_MAX, "%s", words->word);
}

void config_describe(const ConfigOption *option, char ret_text[static CONFIG_VALUE_MAX]) {
        char least[CONFIG_VALUE_MAX], most[CONFIG_VALUE_MAX];
        size_t n;

        print_number(option, option->least, least);
        print_number(option, option->most, most);
        switch (option->type) {
        case CONFIG_TYPE_COUNT:
                snprintf(ret_text, CONFIG_VALUE_MAX, "a number from %.24s to %.24s", least, most);
                break;
        case CONFIG_TYPE_BYTES:
                snprintf(ret_text, CONFIG_VALUE_MAX, "a number of bytes from %.24s to %.24s (suffixes K, M, G, T)",
                                least, most);
                break;
        case CONFIG_TYPE_SECONDS:
                snprintf(ret_text, CONFIG_VALUE_MAX, "seconds from %.24s to %.24s", least, most);
                break;
        case CONFIG_TYPE_DAYS:
                snprintf(ret_text, CONFIG_VALUE_MAX, "days from %.24s to %.24s", least, most);
                break;
        case CONFIG_TYPE_WORD:
                n = snprintf(ret_text, CONFIG_VALUE_MAX, "one of");
                for (const ConfigWord *word = option->words; word->word && n < CONFIG_VALUE_MAX; word++)
                        n += snprintf(ret_text + n, CONFIG_VALUE_MAX - n, " %s%s", word->word, word[1].word ? "," : "");
                break;
        case CONFIG_TYPE_ALLOW_LIST:
                snprintf(ret_text, CONFIG_VALUE_MAX,
                                "user names, and group names behind @, separated by commas; * is everyone");
                break;
        case CONFIG_TYPE_MACHINE_NAME:
                snprintf(ret_text, CONFIG_VALUE_MAX,
                                "1 to %u letters, digits, dots, hyphens and underscores, the first a letter or digit; %s is the host name",
                                MACHINE_NAME_BYTES - 1, MACHINE_NAME_HOST);
                break;
        }
}

void config_init(Config *ret_config) {
        *ret_config = (Config){};
        for (size_t i = 0; i < N_ELEMENTS(config_options); i++)
                (void)config_set(ret_config, &config_options[i], config_options[i].fallback);
}

void config_serve_one(Config *config) {
        config->timeout_max_s = config_find("run", "timeout_max")->most;
        config->address_space_max_bytes = config_find("run", "address_space_max")->most;
        config->stack_max_bytes = config_find("run", "stack_max")->most;
        config->tasks_max = CONFIG_TASKS_ALONE;
        config->command_tasks_max = config_find("run", "command_tasks_max")->most;
        config->core_time_per_hour_s = 0;
        config->jobs_for_root = 0;
        config->clients_for_root = 0;
}

/* ---- problems of a file */

typedef struct ConfigReader {
        ConfigFile *file;
        const char *path;
        unsigned line;
        char section[CONFIG_VALUE_MAX];
        int failed; /* no memory */
} ConfigReader;

static int config_file_add_problem(ConfigFile *file, bool fatal, const char *text) {
        ConfigProblem *problems;
        char *clean;

        problems = reallocarray(file->problems, file->n_problems + 1, sizeof *problems);
        if (!problems)
                return error_origin(-ENOMEM);
        file->problems = problems;
        clean = text_clean_copy(text);
        if (!clean)
                return error_origin(-ENOMEM);
        problems[file->n_problems++] = (ConfigProblem){ .text = clean, .fatal = fatal };
        return 0;
}

__attribute__((format(printf, 3, 4))) static void complain(ConfigReader *reader, bool fatal, const char *format, ...) {
        _cleanup_(freep) char *what = NULL, *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&what, format, arguments);
        va_end(arguments);
        if (n >= 0 && reader->line > 0)
                n = asprintf(&text, "%s:%u: %s", reader->path, reader->line, what);
        else if (n >= 0)
                n = asprintf(&text, "%s: %s", reader->path, what);
        reader->failed = n < 0 ? -ENOMEM : config_file_add_problem(reader->file, fatal, text);
}

static void complain_unreadable(ConfigReader *reader) {
        complain(reader, true, "cannot be read (%s): make it readable for benchd's user, or name another file",
                        strerror(errno));
}

/* The names that would have been right: the options of @section, or without one the sections. */
static void list_names(const char *section, char names[static CONFIG_NAMES_MAX]) {
        const ConfigOption *option, *previous = NULL;
        size_t n = 0;

        names[0] = 0;
        for (size_t i = 0; (option = config_option_at(i)); previous = option, i++) {
                bool named = section ? strcmp(option->section, section) == 0
                                     : !previous || strcmp(option->section, previous->section) != 0;

                if (named && n < CONFIG_NAMES_MAX)
                        n += snprintf(names + n, CONFIG_NAMES_MAX - n, section ? "%s%s" : "%s[%s]", n ? ", " : "",
                                        section ? option->name : option->section);
        }
}

static void complain_unknown(ConfigReader *reader, const char *name) {
        char names[CONFIG_NAMES_MAX];

        list_names(reader->section, names);
        if (names[0]) {
                complain(reader, true, "unknown option \"%s\" in section [%s]; options are %s", name, reader->section,
                                names);
                return;
        }
        list_names(NULL, names);
        if (reader->section[0])
                complain(reader, true, "unknown section [%s]; sections are %s", reader->section, names);
        else
                complain(reader, true, "option \"%s\" is outside any section; sections are %s", name, names);
}

/* ---- lines */

static void read_option(ConfigReader *reader, const char *name, const char *text) {
        const ConfigOption *option = config_find(reader->section, name);
        char takes[CONFIG_VALUE_MAX], *origin;
        int r;

        if (!option) {
                complain_unknown(reader, name);
                return;
        }
        config_describe(option, takes);
        r = config_set(&reader->file->config, option, text);
        if (r == CONFIG_E_RANGE)
                complain(reader, false, "value \"%s\" of %s is out of range, line ignored: give %s", text, name, takes);
        else if (r)
                complain(reader, true, "\"%s\" is not a value of %s: give %s", text, name, takes);
        else if (asprintf(&origin, "%s:%u", reader->path, reader->line) < 0)
                reader->failed = error_origin(-ENOMEM);
        else {
                char **place = &reader->file->origins[option - config_options];

                free(*place);
                *place = origin;
        }
}

/* @text without the blanks around it. */
static char *trim(char *text) {
        size_t n;

        text += strspn(text, CONFIG_BLANKS);
        n = strlen(text);
        while (n > 0 && strchr(CONFIG_BLANKS, text[n - 1]))
                n--;
        text[n] = 0;
        return text;
}

/* Ends @line where a comment begins: at its start, or after a blank and a semicolon. */
static void cut_comment(char *line) {
        if (*line == '#' || *line == ';')
                *line = 0;
        for (char *c = strchr(line, ';'); c; c = strchr(c + 1, ';'))
                if (strchr(CONFIG_BLANKS, c[-1])) {
                        *c = 0;
                        return;
                }
}

static void read_line(ConfigReader *reader, char *line, size_t n) {
        static const char byte_order_mark[] = "\xef\xbb\xbf";
        const bool has_zero = strlen(line) < n;
        char *text, *bracket, *equals;
        bool is_section;

        if (reader->line == 1 && strncmp(line, byte_order_mark, strlen(byte_order_mark)) == 0)
                line += strlen(byte_order_mark);
        text = trim(line);
        cut_comment(text);
        text = trim(text);
        if (*text == 0 && !has_zero)
                return;

        bracket = strchr(text, ']');
        equals = strchr(text, '=');
        is_section = *text == '[' && bracket && bracket[1] == 0;
        if (has_zero || (!is_section && (*text == '[' || !equals))) {
                complain(reader, true, "neither [section] nor name=value: correct the line, or comment it out with #");
        } else if (is_section) {
                snprintf(reader->section, sizeof reader->section, "%.*s", (int)(bracket - text - 1), text + 1);
        } else {
                *equals = 0;
                read_option(reader, trim(text), trim(equals + 1));
        }
}

/* ---- files */

static int config_file_read_one(ConfigFile *file, const char *path, bool required) {
        ConfigReader reader = { .file = file, .path = path };
        _cleanup_(freep) char *line = NULL;
        size_t n_line = 0;
        ssize_t n;
        FILE *stream;

        stream = fopen(path, "re");
        if (!stream && (required || errno != ENOENT))
                complain_unreadable(&reader);
        if (!stream)
                return error_trace(reader.failed);
        while (!reader.failed && (n = getline(&line, &n_line, stream)) >= 0) {
                reader.line++;
                read_line(&reader, line, n);
        }
        if (!reader.failed && ferror(stream))
                complain_unreadable(&reader);
        fclose(stream);
        return error_trace(reader.failed);
}

static int is_drop_in(const struct dirent *entry) {
        size_t n = strlen(entry->d_name);

        return entry->d_name[0] != '.' && n > strlen(".conf") &&
               strcmp(entry->d_name + n - strlen(".conf"), ".conf") == 0;
}

static int config_file_read_drop_ins(ConfigFile *file, const char *directory) {
        ConfigReader reader = { .file = file, .path = directory };
        struct dirent **entries;
        int n, r;

        n = scandir(directory, &entries, is_drop_in, alphasort);
        if (n < 0 && errno != ENOENT)
                complain_unreadable(&reader);
        if (n < 0)
                return error_trace(reader.failed);
        r = 0;
        for (int i = 0; i < n; i++) {
                _cleanup_(freep) char *path = NULL;

                if (r == 0 && asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0)
                        r = error_origin(-ENOMEM);
                if (r == 0)
                        r = config_file_read_one(file, path, true);
                free(entries[i]);
        }
        free(entries);
        return error_trace(r);
}

int config_file_read(const char *path, bool required, ConfigFile **ret_file) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;
        _cleanup_(freep) char *drop_ins = NULL;
        int r;

        file = calloc(1, sizeof *file);
        if (!file)
                return error_origin(-ENOMEM);
        config_init(&file->config);
        file->origins = calloc(N_ELEMENTS(config_options), sizeof *file->origins);
        if (!file->origins)
                return error_origin(-ENOMEM);
        r = config_file_read_one(file, path, required);
        if (r)
                return error_trace(r);
        if (asprintf(&drop_ins, "%s.d", path) < 0)
                return error_origin(-ENOMEM);
        r = config_file_read_drop_ins(file, drop_ins);
        if (r)
                return error_trace(r);
        *ret_file = take_pointer(file);
        return 0;
}

ConfigFile *config_file_free(ConfigFile *file) {
        if (!file)
                return NULL;
        for (size_t i = 0; file->origins && i < N_ELEMENTS(config_options); i++)
                free(file->origins[i]);
        for (size_t i = 0; i < file->n_problems; i++)
                free(file->problems[i].text);
        free(file->origins);
        free(file->problems);
        free(file);
        return NULL;
}

bool config_file_names(const ConfigFile *file, const char *section, const char *name) {
        return file->origins[config_find(section, name) - config_options];
}

bool config_file_is_fatal(const ConfigFile *file) {
        for (size_t i = 0; i < file->n_problems; i++)
                if (file->problems[i].fatal)
                        return true;
        return false;
}

/* ---- the answer of --check-config */

static void print_option(const ConfigFile *file, size_t i) {
        const ConfigOption *option = config_option_at(i), *previous = i ? config_option_at(i - 1) : NULL;
        char value[CONFIG_VALUE_MAX];
        int n;

        if (!previous || strcmp(option->section, previous->section) != 0)
                printf("%s[%s]\n", previous ? "\n" : "", option->section);
        config_print(&file->config, option, value);
        n = printf("%s=%s", option->name, value);
        printf("%*s ; %s\n", n < 28 ? 28 - n : 0, "", file->origins[i] ? file->origins[i] : "default");
}

int config_file_check(const ConfigFile *file) {
        for (size_t i = 0; i < file->n_problems; i++)
                fprintf(stderr, "%s\n", file->problems[i].text);
        if (file->n_problems > 0)
                return EXIT_FAILURE;
        for (size_t i = 0; config_option_at(i); i++)
                print_option(file, i);
        return EXIT_SUCCESS;
}
