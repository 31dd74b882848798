/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Configuration of benchd: one table row per option, from which reading, checking, printing and the manual are made;
 * and the files that set the options: FILE, then the files *.conf in FILE.d, in the order of their names. A later line wins.
 *
 * No line is ignored silently. A line that is not understood may have meant anything, so the daemon does not start; a
 * value outside its option's range is skipped, since its intent is clear and cannot be met. Both are reported as
 * problems, with file, line and remedy.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

#define CONFIG_FILE_PATH "/etc/benchd/benchd.conf"
#define CONFIG_VALUE_MAX 128u /* bytes of a value or of a description, as text */

/* One field an option, with its unit. A new option is a field here and a row in config.c. */
typedef struct Config {
        uint64_t jobs;
        uint64_t jobs_per_user;
        uint64_t jobs_for_root; /* of jobs */
        uint64_t at_once;
        uint64_t core_time_per_hour_s; /* of a user; 0: no limit */
        uint64_t clients;
        uint64_t clients_per_user;
        uint64_t clients_for_root; /* of clients */
        uint64_t patience_s;
        uint64_t unread_bytes;
        uint64_t unread_per_user_bytes;
        uint64_t results_bytes;
        uint64_t results_per_user_bytes;
        uint64_t recalled_bytes;
        uint64_t recalled_per_user_bytes;
        uint64_t samples_bytes;
        uint64_t samples_per_user_bytes;
        uint64_t timeout_max_s;
        uint64_t listing_timeout_s;
        uint64_t memory_max_bytes;        /* 0: three quarters of the machine's */
        uint64_t address_space_max_bytes; /* of a process whose run has no memory limit by cgroup; 0: the machine's memory */
        uint64_t tasks_max;
        uint64_t command_tasks_max;
        uint64_t stack_max_bytes; /* of a benchmark that asks for more than the default */
        uint64_t module_quota_bytes;
        uint64_t module_quota_per_user_bytes;
        uint64_t keep_days;
        uint64_t keep_per_user_bytes;
        char machine_name[CONFIG_VALUE_MAX]; /* for machine_identity_read() */
        char access_run[CONFIG_VALUE_MAX];   /* this and the next ones: names for allow_list_init() */
        char access_list[CONFIG_VALUE_MAX];
        char access_status[CONFIG_VALUE_MAX];
        char access_history[CONFIG_VALUE_MAX];
        char access_cancel[CONFIG_VALUE_MAX];
        char set_governor[CONFIG_VALUE_MAX];
        char drop_caches[CONFIG_VALUE_MAX];
        uint64_t log_level; /* a level of syslog(3) */
} Config;

typedef enum ConfigType {
        CONFIG_TYPE_COUNT,
        CONFIG_TYPE_BYTES,
        CONFIG_TYPE_SECONDS,
        CONFIG_TYPE_DAYS,
        CONFIG_TYPE_WORD,
        CONFIG_TYPE_ALLOW_LIST, /* a text, as the next type; all others are a uint64_t */
        CONFIG_TYPE_MACHINE_NAME,
} ConfigType;

/* A word that an option accepts, and its value. */
typedef struct ConfigWord {
        const char *word;
        uint64_t value;
} ConfigWord;

typedef struct ConfigOption {
        const char *section;
        const char *name;
        ConfigType type;
        const char *fallback; /* its default, as a file would have it */
        uint64_t least;       /* a number's range */
        uint64_t most;
        const ConfigWord *words; /* for CONFIG_TYPE_WORD; the last is NULL */
        size_t offset;           /* in Config */
        const char *text;        /* for the manual: a sentence or two */
} ConfigOption;

enum {
        _CONFIG_E_SUCCESS,

        CONFIG_E_SYNTAX, /* not a value of the option's type */
        CONFIG_E_RANGE,  /* beyond the option's range */
};

/* ---- options */

/* The options in the table's order, grouped by section; NULL past the last. */
const ConfigOption *config_option_at(size_t index);

/* Finds an option; NULL if there is none. */
const ConfigOption *config_find(const char *section, const char *name);

/* All defaults. */
void config_init(Config *ret_config);

/* Removes the limits that protect users from each other: one user is served. */
void config_serve_one(Config *config);

/* Sets @option to the value in @text. Returns 0, E_SYNTAX, or E_RANGE. */
int config_set(Config *config, const ConfigOption *option, const char *text);

/* Writes the value of @option as a file would set it. */
void config_print(const Config *config, const ConfigOption *option, char ret_text[static CONFIG_VALUE_MAX]);

/* Writes the values that @option accepts: "a number from 1 to 64". */
void config_describe(const ConfigOption *option, char ret_text[static CONFIG_VALUE_MAX]);

/* ---- files */

/* A rejected line: "FILE:LINE: what is wrong: what to do", without control characters. */
typedef struct ConfigProblem {
        char *text;
        bool fatal;
} ConfigProblem;

typedef struct ConfigFile {
        Config config;
        char **origins; /* "FILE:LINE" of each option, in the table's order; NULL: its default */
        ConfigProblem *problems;
        size_t n_problems;
} ConfigFile;

/*
 * Reads the configuration at @path. A missing file is a problem if @required, else it counts as empty. Returns 0 (also
 * with problems) or a negative errno.
 */
int config_file_read(const char *path, bool required, ConfigFile **ret_file);
ConfigFile *config_file_free(ConfigFile *file);

DEFINE_CLEANUP(ConfigFile *, config_file_free)

/* True if a line sets the option, even to its default. */
bool config_file_names(const ConfigFile *file, const char *section, const char *name);

/* True if a problem keeps the daemon from starting. */
bool config_file_is_fatal(const ConfigFile *file);

/*
 * Prints the answer of `benchd --check-config`: on stdout each option with its value and origin, in the format of the
 * file; or on stderr each problem. Returns the exit status, 0 or 1.
 */
int config_file_check(const ConfigFile *file);
