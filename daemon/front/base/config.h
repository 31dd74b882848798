/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What benchd can be told in its configuration: one row of a table an option, from which reading, checking, printing and
 * the manual are made. Pure; config-file.h reads the files.
 */

#include <stddef.h>
#include <stdint.h>

/* One field an option, with its unit. A new one is a field here and a row in config.c. */
typedef struct Config {
        uint64_t jobs;
        uint64_t jobs_per_user;
        uint64_t at_once;
        uint64_t clients;
        uint64_t clients_per_user;
        uint64_t patience_s;
        uint64_t timeout_max_s;
        uint64_t listing_timeout_s;
        uint64_t history_shared; /* 0 or 1 */
        uint64_t module_quota_bytes;
        uint64_t set_governor; /* of CONFIG_TYPE_WHO: config_who() */
        uint64_t log_level;    /* of syslog(3) */
} Config;

typedef enum ConfigType {
        CONFIG_TYPE_BOOL,
        CONFIG_TYPE_COUNT,
        CONFIG_TYPE_BYTES,
        CONFIG_TYPE_SECONDS,
        CONFIG_TYPE_WORD,
        CONFIG_TYPE_WHO, /* a list of front/base/allow-list.h */
} ConfigType;

/* A word that an option takes, and what it stands for. */
typedef struct ConfigWord {
        const char *word;
        uint64_t value;
} ConfigWord;

typedef struct ConfigOption {
        const char *section;
        const char *name;
        ConfigType type;
        const char *fallback; /* its default, as one would write it */
        uint64_t least;       /* of a number */
        uint64_t most;
        const ConfigWord *words; /* of CONFIG_TYPE_WORD; the last is NULL */
        size_t offset;           /* in Config */
        const char *text;        /* for the manual: a sentence or two */
} ConfigOption;

enum {
        _CONFIG_E_SUCCESS,

        CONFIG_E_SYNTAX, /* not a value of the option's type */
        CONFIG_E_RANGE,  /* a value that it cannot take */
};

#define CONFIG_VALUE_MAX 128u /* bytes of a value or of a description, as text */

/* The options in the table's order, those of a section together; NULL past the last. */
const ConfigOption *config_option_at(size_t index);

/* NULL if there is no such option. */
const ConfigOption *config_find(const char *section, const char *name);

/* All defaults. */
void config_init(Config *ret_config);

/* Reads @text as a value of @option. Returns 0, E_SYNTAX, or E_RANGE. */
int config_parse(const ConfigOption *option, const char *text, uint64_t *ret_value);

void config_set(Config *config, const ConfigOption *option, uint64_t value);
uint64_t config_get(const Config *config, const ConfigOption *option);

/* The list that is the value of an option of CONFIG_TYPE_WHO; it lives as long as the process. */
const char *config_who(uint64_t value);

/* Writes @value as one would in a file. */
void config_print(const ConfigOption *option, uint64_t value, char ret_text[static CONFIG_VALUE_MAX]);

/* Says what @option takes: "a number from 1 to 64". */
void config_describe(const ConfigOption *option, char ret_text[static CONFIG_VALUE_MAX]);
