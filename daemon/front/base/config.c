/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

#include "front/base/allow-list.h"
#include "util/cleanup.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

#define CONFIG_WHO_MAX 64u /* lists that are read in all */

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
                "Jobs (runs and lists) under way at once, those that wait among them. What comes beyond is refused as busy.",
        }, {
                "queue", "jobs_per_user", CONFIG_TYPE_COUNT, "8", 1, 4096, NULL, offsetof(Config, jobs_per_user),
                "The same of one user.",
        }, {
                "queue", "at_once", CONFIG_TYPE_COUNT, "1", 1, 64, NULL, offsetof(Config, at_once),
                "Runs measured at once, each on cores of its own. They share caches, memory and power: a result names the caches.",
        }, {
                "connections", "clients", CONFIG_TYPE_COUNT, "256", 1, 2048, NULL, offsetof(Config, clients),
                "Connections open at once. Each takes a descriptor, and each job as many as it has modules and libraries.",
        }, {
                "connections", "clients_per_user", CONFIG_TYPE_COUNT, "64", 1, 2048, NULL,
                offsetof(Config, clients_per_user),
                "The same of one user.",
        }, {
                "connections", "patience", CONFIG_TYPE_SECONDS, "10", 1, 3600, NULL, offsetof(Config, patience_s),
                "How long a connection may take to its greeting, and a frame from its first byte to its last.",
        }, {
                "run", "timeout_max", CONFIG_TYPE_SECONDS, "86400", 1, 86400, NULL, offsetof(Config, timeout_max_s),
                "The longest time that a process of a run may be given, whether it was asked for or follows from the plan.",
        }, {
                "run", "listing_timeout", CONFIG_TYPE_SECONDS, "10", 1, 600, NULL, offsetof(Config, listing_timeout_s),
                "How long loading a module may take when its benchmarks are listed.",
        }, {
                "history", "shared", CONFIG_TYPE_BOOL, "no", 0, 1, NULL, offsetof(Config, history_shared),
                "Whether the results of one user are shown to the others who ask for them.",
        }, {
                "history", "module_quota", CONFIG_TYPE_BYTES, "1G", MIB, 64 * TIB, NULL,
                offsetof(Config, module_quota_bytes),
                "Modules are kept up to this size in all; beyond, those that were used least recently go. Pinned ones stay.",
        }, {
                "machine", "set_governor", CONFIG_TYPE_WHO, "root", 0, 0, NULL, offsetof(Config, set_governor),
                "Who may set the governor of the CPUs' frequency. Root always may, and whom polkit allows org.benchd.set-governor.",
        }, {
                "log", "level", CONFIG_TYPE_WORD, "info", 0, 0, config_levels, offsetof(Config, log_level),
                "What is logged: this and what is more important.",
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

/* ---- values of a type, to and from text */

static const ConfigWord config_bools[] = { { "no", 0 }, { "yes", 1 }, { "false", 0 }, { "true", 1 }, { "off", 0 },
        { "on", 1 }, { "0", 0 }, { "1", 1 }, {} };

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

/* Digits, then for bytes at most one letter. What is beyond 64 bits is out of every range. */
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

/*
 * A list is kept as a number, as every value is: that of its place among those that were read. They are read once, at the
 * start.
 */
static char allow_list_lists[CONFIG_WHO_MAX][CONFIG_VALUE_MAX];

const char *config_who(uint64_t value) {
        return allow_list_lists[value];
}

static int parse_who(const char *text, uint64_t *ret_value) {
        if (!allow_list_is_list(text))
                return CONFIG_E_SYNTAX;
        if (strlen(text) >= CONFIG_VALUE_MAX)
                return CONFIG_E_RANGE;
        for (size_t i = 0; i < CONFIG_WHO_MAX; i++) {
                if (allow_list_lists[i][0] && strcmp(allow_list_lists[i], text) != 0)
                        continue;
                strcpy(allow_list_lists[i], text);
                *ret_value = i;
                return 0;
        }
        return CONFIG_E_RANGE;
}

int config_parse(const ConfigOption *option, const char *text, uint64_t *ret_value) {
        if (option->type == CONFIG_TYPE_BOOL)
                return parse_word(config_bools, text, ret_value);
        if (option->type == CONFIG_TYPE_WORD)
                return parse_word(option->words, text, ret_value);
        if (option->type == CONFIG_TYPE_WHO)
                return parse_who(text, ret_value);
        return parse_number(option, text, ret_value);
}

static void print_bytes(uint64_t bytes, char text[static CONFIG_VALUE_MAX]) {
        static const char letters[] = "TGMK";

        for (const char *letter = letters; *letter; letter++)
                if (bytes > 0 && bytes % unit_of(*letter) == 0) {
                        snprintf(text, CONFIG_VALUE_MAX, "%" PRIu64 "%c", bytes / unit_of(*letter), *letter);
                        return;
                }
        snprintf(text, CONFIG_VALUE_MAX, "%" PRIu64, bytes);
}

static const char *word_of(const ConfigWord *words, uint64_t value) {
        while (words->word && words->value != value)
                words++;
        return words->word;
}

void config_print(const ConfigOption *option, uint64_t value, char ret_text[static CONFIG_VALUE_MAX]) {
        const ConfigWord *words = option->type == CONFIG_TYPE_BOOL ? config_bools : option->words;

        if (words)
                snprintf(ret_text, CONFIG_VALUE_MAX, "%s", word_of(words, value));
        else if (option->type == CONFIG_TYPE_WHO)
                snprintf(ret_text, CONFIG_VALUE_MAX, "%s", config_who(value));
        else if (option->type == CONFIG_TYPE_BYTES)
                print_bytes(value, ret_text);
        else
                snprintf(ret_text, CONFIG_VALUE_MAX, "%" PRIu64, value);
}

static void describe_words(const ConfigWord *words, char text[static CONFIG_VALUE_MAX]) {
        size_t n = snprintf(text, CONFIG_VALUE_MAX, "one of");

        for (; words->word && n < CONFIG_VALUE_MAX; words++)
                n += snprintf(text + n, CONFIG_VALUE_MAX - n, " %s%s", words->word, words[1].word ? "," : "");
}

void config_describe(const ConfigOption *option, char ret_text[static CONFIG_VALUE_MAX]) {
        static const char *const what[] = {
                [CONFIG_TYPE_COUNT] = "a number",
                [CONFIG_TYPE_BYTES] = "bytes (K, M, G or T may follow)",
                [CONFIG_TYPE_SECONDS] = "seconds",
        };
        char least[CONFIG_VALUE_MAX], most[CONFIG_VALUE_MAX];

        if (option->type == CONFIG_TYPE_BOOL) {
                snprintf(ret_text, CONFIG_VALUE_MAX, "yes or no");
                return;
        }
        if (option->type == CONFIG_TYPE_WORD) {
                describe_words(option->words, ret_text);
                return;
        }
        if (option->type == CONFIG_TYPE_WHO) {
                snprintf(ret_text, CONFIG_VALUE_MAX, "names of users, and of groups behind a @, with commas between");
                return;
        }
        config_print(option, option->least, least);
        config_print(option, option->most, most);
        snprintf(ret_text, CONFIG_VALUE_MAX, "%s from %.24s to %.24s", what[option->type], least, most);
}

/* ---- a whole configuration */

void config_set(Config *config, const ConfigOption *option, uint64_t value) {
        memcpy((char *)config + option->offset, &value, sizeof value);
}

uint64_t config_get(const Config *config, const ConfigOption *option) {
        uint64_t value;

        memcpy(&value, (const char *)config + option->offset, sizeof value);
        return value;
}

void config_init(Config *ret_config) {
        *ret_config = (Config){};
        for (size_t i = 0; i < N_ELEMENTS(config_options); i++) {
                uint64_t value = 0;

                (void)config_parse(&config_options[i], config_options[i].fallback, &value);
                config_set(ret_config, &config_options[i], value);
        }
}
