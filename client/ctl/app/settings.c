/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/settings.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/app/command-options.h"
#include "ctl/app/settings-check.h"
#include "ctl/app/verbs.h"
#include "ctl/base/hint.h"
#include "ctl/base/suggestion.h"
#include "util/cleanup.h"
#include "util/error.h"

#define PARSER_OPTIONS_MAX 128u
#define PARSER_LETTERS_MAX 32u
#define PARSER_ROWS        256 /* getopt's value of the first row: no letter */

/* ---- the parser: getopt's view of the table */

/* An option as typed: its row is known once the verb is. */
typedef struct TypedOption {
        const char *name; /* NULL: the letter was typed */
        char letter;
        const char *value;
} TypedOption;

/* The row of @verb, or the first one. */
static const CommandOption *typed_find(const TypedOption *typed, const Verb *verb) {
        return typed->name ? command_option_find(typed->name, verb) : command_option_find_letter(typed->letter, verb);
}

typedef struct Parser {
        Settings *settings;
        TypedOption *typed;
        size_t n_typed;
        struct option rows[PARSER_OPTIONS_MAX + 1];
        char letters[PARSER_LETTERS_MAX];
} Parser;

static int argument_kind(const CommandOption *option) {
        if (!option->value)
                return no_argument;
        return command_option_may_lack_value(option) ? optional_argument : required_argument;
}

/* It counts for all rows of the name: where they differ, the value is optional, and the verb's row is asked once it is known. */
static int parser_argument_kind(const CommandOption *option) {
        const int kind = argument_kind(option);
        const CommandOption *other;

        for (size_t i = 0; (other = command_option_at(i)); i++)
                if (strcmp(other->name, option->name) == 0 && argument_kind(other) != kind)
                        return optional_argument;
        return kind;
}

static bool is_first_row(const CommandOption *option) {
        return command_option_find(option->name, NULL) == option;
}

static void parser_init(Parser *parser, Settings *settings) {
        char *letter = stpcpy(parser->letters, "-:"); /* arguments in their order, and ':' for a missing value */
        const CommandOption *option;
        size_t n = 0;

        parser->settings = settings;
        for (size_t i = 0; n < PARSER_OPTIONS_MAX && (option = command_option_at(i)); i++) {
                if (is_first_row(option)) {
                        parser->rows[n] = (struct option){ option->name, parser_argument_kind(option), NULL,
                                PARSER_ROWS + (int)n };
                        n++;
                }
                if (command_option_find_letter(option->letter, NULL) == option)
                        letter = stpcpy(letter, (const char[]){ option->letter,
                                                                argument_kind(option) == required_argument ? ':' : '\0',
                                                                '\0' });
        }
}

static bool is_file(const char *word) {
        const char *dot = strrchr(word, '.');

        return (dot && strcmp(dot, ".so") == 0) || (strpbrk(word, "/.") && access(word, F_OK) == 0);
}

/* @word is not a verb; names the one that was probably meant. */
static int settings_refuse_verb(Settings *settings, const char *word) {
        char quoted[HINT_WORD_MAX];
        Suggestion suggestion;
        const Verb *verb;

        suggestion_init(&suggestion, word, strlen(word), "");
        for (size_t i = 0; (verb = verb_at(i)); i++)
                suggestion_offer(&suggestion, verb->name);
        if (suggestion.n > 1)
                return settings_refuse(settings, "command '%s' is ambiguous: %s", word, suggestion.names);
        if (is_file(word))
                settings_hint(settings, "Did you mean: benchctl run %s?", hint_quote(word, quoted));
        else if (suggestion.nearest.name)
                settings_hint(settings, "Did you mean: benchctl %s?", suggestion.nearest.name);
        return settings_refuse(settings, "unknown command '%s'", word);
}

static int word_list_add(SettingsWords *list, const char *word) {
        const char **words;

        words = reallocarray(list->words, list->n + 1, sizeof *words);
        if (!words)
                return error_origin(-ENOMEM);
        words[list->n++] = word;
        list->words = words;
        return 0;
}

static int given_add(Settings *settings, const char *name, const char *value) {
        SettingsOption *given = reallocarray(settings->given, settings->n_given + 1, sizeof *given);

        if (!given)
                return error_origin(-ENOMEM);
        given[settings->n_given++] = (SettingsOption){ .name = name, .value = value };
        settings->given = given;
        return 0;
}

static int parser_take_argument(Parser *parser, const char *word) {
        Settings *settings = parser->settings;

        if (settings->verb)
                return error_trace(word_list_add(&settings->arguments, word));
        settings->verb_typed = word;
        settings->verb = verb_find_typed(word);
        return settings->verb ? 0 : settings_refuse_verb(settings, word);
}

/* Joins @value and the following words of @argv, up to @n in all, by commas. NULL: some are missing, or memory ran out. */
static const char *parser_join(Parser *parser, const char *value, size_t n, const char *const *argv) {
        char *joined = strdup(value);

        for (size_t i = 1; joined && i < n; i++) {
                const char *word = argv[optind];
                char *longer = NULL;

                if (word && *word && asprintf(&longer, "%s,%s", joined, word) < 0)
                        longer = NULL;
                optind += longer != NULL;
                free(joined);
                joined = longer;
        }
        if (joined && word_list_add(&parser->settings->joined, joined) != 0) {
                free(joined);
                joined = NULL;
        }
        return joined;
}

static int parser_refuse_no_value(const Parser *parser, const CommandOption *option) {
        const bool is_tuple = option->kind == OPTION_TUPLE;

        return settings_refuse(parser->settings, "--%s needs a value: --%s%c%.*s", option->name, option->name,
                        is_tuple ? ' ' : '=', (int)strcspn(option->value, ","), option->value);
}

/* The verb may follow its options, so their rows are found at the end. */
static int parser_take_option(Parser *parser, const CommandOption *option, TypedOption typed, const char *const *argv) {
        const size_t n_words = command_option_words(option);
        TypedOption *grown;

        if (n_words > 1 && !strchr(typed.value, ',')) {
                typed.value = parser_join(parser, typed.value, n_words, argv);
                if (!typed.value)
                        return parser_refuse_no_value(parser, option);
        }
        grown = reallocarray(parser->typed, parser->n_typed + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        grown[parser->n_typed++] = typed;
        parser->typed = grown;
        return 0;
}

/* The option of getopt's value @code, a row's or a letter; false for any other. */
static bool parser_find_option(const Parser *parser, int code, TypedOption *ret_typed) {
        *ret_typed = (TypedOption){};
        if (code >= PARSER_ROWS)
                ret_typed->name = parser->rows[code - PARSER_ROWS].name;
        else
                ret_typed->letter = (char)code;
        return typed_find(ret_typed, NULL);
}

/* Its way here, of an option that hyperfine has and exec has not; else NULL. */
static const char *way_of_hyperfine(const char *name) {
        static const struct {
                const char *name, *way;
        } rows[] = {
                { "export-asciidoc", "There is --export-markdown, and --format=html for a page." },
                { "export-orgmode", "There is --export-markdown, and --format=html for a page." },
                { "min-benchmarking-time",
                                "--min-runs and --precision say how long is enough, --budget how long at most." },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (strcmp(rows[i].name, name) == 0)
                        return rows[i].way;
        return NULL;
}

/* @word is neither the name of an option nor the beginning of one alone. */
static int parser_refuse_option(const Parser *parser, const char *word) {
        const Verb *verb = parser->settings->verb;
        Suggestion suggestion;

        suggestion_init(&suggestion, word + 2, strcspn(word + 2, "="), "--");
        for (const struct option *row = parser->rows; row->name; row++)
                if (!verb || verb_takes(verb, command_option_find(row->name, verb)->verbs))
                        suggestion_offer(&suggestion, row->name);
        if (suggestion.n > 1)
                return settings_refuse(parser->settings, "option '--%s' is ambiguous: %s", suggestion.word,
                                suggestion.names);
        if (suggestion.n == 1) /* to getopt an option of another verb begins so too */
                settings_hint(parser->settings, "Did you mean %s?", suggestion.names);
        else if (verb && verb_takes(verb, VERB_EXEC) && way_of_hyperfine(suggestion.word))
                settings_hint(parser->settings, "%s", way_of_hyperfine(suggestion.word));
        else if (suggestion.nearest.name)
                settings_hint(parser->settings, "Did you mean --%s?", suggestion.nearest.name);
        return settings_refuse(parser->settings, "unknown option '--%s'", suggestion.word);
}

/* A letter that is not an option: perhaps of the other case. */
static int parser_refuse_letter(const Parser *parser) {
        const CommandOption *option;

        for (size_t i = 0; (option = command_option_at(i)); i++)
                if (option->letter && tolower(option->letter) == tolower(optopt))
                        settings_hint(parser->settings, "Did you mean -%c, --%s?", option->letter, option->name);
        return settings_refuse(parser->settings, "unknown option '-%c'", optopt);
}

/* True if the value of an option is the next word, which is an option itself: the value was forgotten. */
static bool is_value_missing(const char *word) {
        return optarg && strncmp(optarg, "--", 2) == 0 && (word[1] == '-' ? !strchr(word, '=') : !word[2]);
}

/* "-quick": as letters it would be -q, -u and so on. */
static bool is_long_with_one_dash(const char *word) {
        char name[64];

        if (word[0] != '-' || word[1] == '-' || !word[1] || !word[2])
                return false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 1, "="), word + 1);
        return command_option_find(name, NULL);
}

/* Takes what getopt read from @word: @code is an option's value, 1 for an argument, '?' or ':' for a mistake. */
static int parser_take(Parser *parser, int code, const char *word, const char *const *argv) {
        const CommandOption *option;
        TypedOption typed;

        if (code == 1)
                return parser_take_argument(parser, optarg);
        if (is_long_with_one_dash(word)) {
                settings_hint(parser->settings, "Did you mean -%s?", word);
                return settings_refuse(parser->settings, "'%s' is a word after one dash, which is for single letters",
                                word);
        }
        if (!parser_find_option(parser, code == '?' || code == ':' ? optopt : code, &typed))
                return word[1] != '-' ? parser_refuse_letter(parser) : parser_refuse_option(parser, word);
        option = typed_find(&typed, parser->settings->verb);
        if (code == '?')
                return settings_refuse(parser->settings, "--%s takes no value", option->name);
        if (code == ':' || (optarg && !*optarg) || is_value_missing(word))
                return parser_refuse_no_value(parser, option);
        typed.value = optarg;
        return parser_take_option(parser, option, typed, argv);
}

/* A word after "--". No name begins with a dash, but an option of a debugger or of a program does. */
static int parser_take_filter(Parser *parser, const char *word) {
        const Settings *settings = parser->settings;

        if (*word == '-' && !(settings->verb && settings->verb->traits & (VERB_DEBUG | VERB_EXEC))) {
                settings_hint(parser->settings, "Options stand before '--', filters behind it.");
                return settings_refuse(parser->settings, "'%.128s' stands behind '--', where no filter begins with '-'",
                                word);
        }
        return error_trace(word_list_add(&parser->settings->filters, word));
}

static int parser_read(Parser *parser, const char *const *argv) {
        int argc = 0, code, r = 0;

        while (argv[argc])
                argc++;
        opterr = 0;
        optind = 0; /* begins anew */
        while (r == 0) {
                const char *word = argv[optind ? optind : 1];

                code = getopt_long(argc, (char *const *)argv, parser->letters, parser->rows, NULL);
                if (code < 0)
                        break;
                r = parser_take(parser, code, word, argv);
        }
        for (int i = optind; r == 0 && i < argc; i++)
                r = parser_take_filter(parser, argv[i]);
        return error_trace(r);
}

/* ---- the whole */

/* The message names the verbs that take the option. */
static int settings_refuse_option(Settings *settings, const TypedOption *typed) {
        char others[SETTINGS_PROBLEM_MAX / 2] = "";
        const char *separator = "";
        const Verb *verb;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                if (verb_takes(verb, typed_find(typed, verb)->verbs)) {
                        size_t n = strlen(others);

                        snprintf(others + n, sizeof others - n, "%s%s", separator, verb->name);
                        separator = ", ";
                }
        return settings_refuse(settings, "%s%s is not an option of '%s' (only of %s)", typed->name ? "--" : "-",
                        typed->name ? typed->name : (const char[]){ typed->letter, '\0' }, settings->verb->name,
                        others);
}

static int settings_set(Settings *settings, const CommandOption *option, const char *value) {
        void *field = (char *)settings + option->offset;
        int r;

        r = given_add(settings, option->name, value);
        if (r)
                return error_trace(r);
        if (value && !option->value)
                return settings_refuse(settings, "--%s takes no value", option->name);
        if (option->kind == OPTION_OF_RUN)
                r = settings_set_of_run(settings, option->name, value);
        else if (option->kind == OPTION_FLAG)
                *(bool *)field = true;
        else if (option->kind == OPTION_TEXT)
                *(const char **)field = value ? value : "";
        else
                r = word_list_add(field, value);
        return error_trace(r);
}

/* Sets the options that every verb takes (@of_any), or the others, by their rows of the verb. */
static int parser_set_options(const Parser *parser, bool of_any) {
        Settings *settings = parser->settings;
        int r = 0;

        for (size_t i = 0; r == 0 && i < parser->n_typed; i++) {
                const TypedOption *typed = &parser->typed[i];
                const CommandOption *option = typed_find(typed, settings->verb);

                if ((option->verbs == VERB_ANY) != of_any)
                        continue;
                r = of_any || verb_takes(settings->verb, option->verbs) ? settings_set(settings, option, typed->value)
                                                                        : settings_refuse_option(settings, typed);
        }
        return error_trace(r);
}

/* Help is given whatever else was typed. */
static int parser_finish(const Parser *parser) {
        Settings *settings = parser->settings;
        int r;

        r = parser_set_options(parser, true);
        if (r || settings->help || settings->version)
                return error_trace(r);
        if (!settings->verb)
                return SETTINGS_E_NO_VERB;
        r = parser_set_options(parser, false);
        return r ? error_trace(r) : error_trace(settings_check(settings));
}

/* A verb that is an alias of an option sets it, as if the option was typed after the verb given as operand. */
static int settings_set_verb_option(Settings *settings) {
        const SettingsWords *words = &settings->arguments;

        *(bool *)((char *)settings + command_option_find(settings->verb->option, NULL)->offset) = true;
        settings->verb = words->n > 0 ? verb_find_typed(words->words[0]) : NULL;
        return settings->verb || words->n == 0 ? 0 : settings_refuse_verb(settings, words->words[0]);
}

int settings_parse(Settings *settings, const char *const *argv) {
        Parser parser = {};
        int r;

        *settings = (Settings){ .typed = argv + (*argv != NULL) };
        r = benchd_options_new(&settings->options);
        if (r == 0)
                r = benchd_query_new(&settings->query);
        if (r)
                return error_trace(r);
        parser_init(&parser, settings);
        r = parser_read(&parser, argv);
        if (r == 0)
                r = parser_finish(&parser);
        free(parser.typed);
        if (r == 0 && !settings->help && !settings->version && settings->verb->option)
                r = settings_set_verb_option(settings);
        return error_trace(r);
}

/* Those of the table, of which several rows may share one. */
static void free_word_lists(Settings *settings) {
        const CommandOption *option;

        for (size_t i = 0; (option = command_option_at(i)); i++)
                if (option->kind == OPTION_LIST || option->kind == OPTION_TUPLE) {
                        SettingsWords *list = (SettingsWords *)((char *)settings + option->offset);

                        free(list->words);
                        *list = (SettingsWords){};
                }
}

void settings_clear(Settings *settings) {
        benchd_options_free(settings->options);
        benchd_query_free(settings->query);
        free(settings->arguments.words);
        free(settings->filters.words);
        free_word_lists(settings);
        for (size_t i = 0; i < settings->joined.n; i++)
                free((char *)settings->joined.words[i]);
        free(settings->joined.words);
        free(settings->given);
        *settings = (Settings){};
}
