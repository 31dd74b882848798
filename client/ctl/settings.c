/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/settings.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/headline.h"
#include "ctl/hint.h"
#include "ctl/settings-check.h"
#include "ctl/suggestion.h"
#include "ctl/time-unit.h"
#include "ctl/verb.h"
#include "util/cleanup.h"
#include "util/error.h"

#define PARSER_OPTIONS_MAX 128u
#define PARSER_ROWS        256 /* getopt's value of the first row: no letter */

/* ---- the options */

typedef enum SettingKind {
        SETTING_FLAG,
        SETTING_TEXT,
        SETTING_LIST,
} SettingKind;

typedef struct Setting {
        const char *name;
        char letter;
        const char *value; /* in the help text's words; NULL for a flag */
        SettingKind kind;
        unsigned verbs;
        size_t offset; /* in Settings */
        const char *help;
        const char *values; /* the words that it may be, joined by |; NULL: not a list */
} Setting;

#define FIELD(name) offsetof(Settings, name)

/* clang-format off */
static const Setting own_options[] = {
        { "with", 0, "LIB.so", SETTING_LIST, VERB_MODULE | VERB_CODE | VERB_DEBUG, FIELD(with), "send a library along, for those that need it and for dlopen()" },
        { "preload", 0, "LIB.so", SETTING_LIST, VERB_MODULE | VERB_DEBUG, FIELD(preload), "preload a library into the measured process, such as an allocator" },
        { "env", 0, "NAME=VALUE", SETTING_LIST, VERB_MODULE | VERB_DEBUG, FIELD(environment), "set an environment variable for the module" },
        { "input", 0, "FILE", SETTING_LIST, VERB_MEASURE, FIELD(inputs), "let the body open a copy of FILE by its name" },
        { "separate", 0, NULL, SETTING_FLAG, VERB_TARGETS, FIELD(separate), "make a module of its own of each source, in place of one of all" },
        { "format", 0, "FORMAT", SETTING_TEXT, VERB_ANSWER, FIELD(format), "table (default), json, html or another of a command's formats" },
        { "scale", 0, "[BENCHMARK]", SETTING_TEXT, VERB_EARLIER_RESULT, FIELD(scale), "show times as multiples of BENCHMARK's (default: the run's reference)" },
        { "headline", 0, HEADLINE_WORDS, SETTING_TEXT, VERB_RESULT | VERB_COMPARE, FIELD(headline), "show the mean as time where a rare slow part sets it apart", HEADLINE_WORDS },
        { "unit", 'u', TIME_UNIT_WORDS, SETTING_TEXT, VERB_RESULT | VERB_COMPARE | VERB_HISTORY, FIELD(unit), "show all times in one unit (default: each in its own)", TIME_UNIT_WORDS },
        { "brief", 0, NULL, SETTING_FLAG, VERB_RESULT | VERB_COMPARE, FIELD(brief), "JSON of the few fields that scripts look at" },
        { "columns", 0, "LIST", SETTING_TEXT, VERB_RESULT | VERB_COMPARE, FIELD(columns), "show these columns: time,interval,min,max" },
        { "sort", 0, "KEY", SETTING_TEXT, VERB_RESULT | VERB_COMPARE, FIELD(sort_by), "sort rows by name, time or ratio", "name|time|ratio" },
        { "output", 'o', "FILE", SETTING_TEXT, VERB_ANSWER, FIELD(output), "write the result to FILE" },
        { "plot", 0, NULL, SETTING_FLAG, VERB_RESULT | VERB_COMPARE, FIELD(plot), "draw each benchmark below the table: its samples, also over time" },
        { "open", 0, NULL, SETTING_FLAG, VERB_RESULT | VERB_COMPARE | VERB_HISTORY, FIELD(open), "show the result as a page in the browser (BROWSER, or xdg-open)" },
        { "raw", 0, "FILE.npz", SETTING_TEXT, VERB_RESULT | VERB_COMPARE, FIELD(raw), "write every sample to FILE.npz, which numpy reads" },
        { "fail-on", 0, "slower,...", SETTING_LIST, VERB_RESULT | VERB_COMPARE, FIELD(fail_on_typed), "exit with an error if slower, unresolved, unfit, or time>5ms", "slower|unresolved|unfit" },
        { "baseline", 0, "FILE", SETTING_TEXT, VERB_RESULT, FIELD(baseline), "compare with the result that --save-baseline wrote to FILE" },
        { "save-baseline", 0, "FILE", SETTING_TEXT, VERB_RESULT, FIELD(save_baseline), "write the result to FILE, if the command ends well" },
        { "margin", 0, "P%", SETTING_TEXT, VERB_RESULT, FIELD(margin), "with --baseline: call a smaller difference the same (default 10%)" },
        { "margin", 0, "P%", SETTING_TEXT, VERB_HISTORY, FIELD(margin), "with a filter: mark no smaller change (default 0.5%)" },
        { "module", 0, "GLOB", SETTING_TEXT, VERB_HISTORY, FIELD(module), "only jobs whose module matches GLOB" },
        { "since", 0, "TIME", SETTING_TEXT, VERB_HISTORY, FIELD(since), "only jobs submitted since TIME: 2h, 3d, yesterday, 2026-05-01" },
        { "state", 0, "STATE", SETTING_TEXT, VERB_HISTORY, FIELD(state), "only queued, running, done, failed, cancelled or lost jobs", "queued|running|done|failed|cancelled|lost" },
        { "limit", 0, "N", SETTING_TEXT, VERB_HISTORY, FIELD(limit), "at most the N latest jobs (default 100)" },
        { "limit", 0, NULL, SETTING_FLAG, VERB_DISASM, FIELD(static_limit), "beside it the least cycles by llvm-mca, and those of a quick run" },
        { "all-users", 0, NULL, SETTING_FLAG, VERB_HISTORY, FIELD(all_users), "other users' jobs too, where that is allowed" },
        { "all", 0, NULL, SETTING_FLAG, VERB_SOURCE, FIELD(all), "the whole file" },
        { "source-dir", 0, "DIRECTORY", SETTING_LIST, VERB_CODE, FIELD(source_directories), "open sources below DIRECTORY that debug information names" },
        { "explain", 0, NULL, SETTING_FLAG, VERB_COMPARE, FIELD(explain), "show the machine code of both timed loops side by side" },
        { "restore", 0, NULL, SETTING_FLAG, VERB_GOVERNOR, FIELD(restore), "put back the governor from before set-governor" },
        { "cpus", 0, "LIST", SETTING_TEXT, VERB_GOVERNOR, FIELD(cpus), "only these CPUs, such as 0-3,7 (default: all)" },
        { "private", 0, NULL, SETTING_FLAG, VERB_PRIVATE | VERB_PRIVATE_RESULTS, FIELD(private_daemon), "use a daemon of its own, or show earlier results of one" },
        { "here", 0, NULL, SETTING_FLAG, VERB_RUN, FIELD(here), "run in this very process, for gdb, perf and valgrind" },
        { "socket", 0, "PATH", SETTING_TEXT, VERB_ANY, FIELD(socket), "connect to the daemon at PATH" },
        { "host", 0, "HOST", SETTING_TEXT, VERB_DAEMON, FIELD(host), "ask the daemon at [USER@]HOST, by ssh; run and compare: HOST,HOST..., @FILE or slurm too" },
        { "rsh", 0, "COMMAND", SETTING_TEXT, VERB_DAEMON, FIELD(rsh), "reach HOST by COMMAND in place of ssh" },
        { "min-machines", 0, "N", SETTING_TEXT, VERB_MEASURE, FIELD(min_machines), "give no number over fewer machines once some are lost (default 3)" },
        { "quiet", 'q', NULL, SETTING_FLAG, VERB_ANY, FIELD(quiet), "print no progress line" },
        { "no-color", 0, NULL, SETTING_FLAG, VERB_ANY, FIELD(no_color), "print no colours, as with NO_COLOR in the environment" },
        { "help", 'h', NULL, SETTING_FLAG, VERB_ANY, FIELD(help), "print this help" },
        { "version", 'V', NULL, SETTING_FLAG, VERB_ANY, FIELD(version), "print the version" },
};
/* clang-format on */

/* A name may be there twice, for different verbs: finds that of @verb (NULL: not known yet), else the first. */
static const Setting *own_option_find(const char *name, const Verb *verb) {
        const Setting *first = NULL;

        for (size_t i = 0; i < N_ELEMENTS(own_options); i++) {
                const Setting *own = &own_options[i];

                if (strcmp(own->name, name) != 0)
                        continue;
                if (verb && verb_takes(verb, own->verbs))
                        return own;
                first = first ? first : own;
        }
        return first;
}

static const benchd_option *run_option_find(const char *name) {
        const benchd_option *option;

        for (size_t i = 0; (option = benchd_option_at(i)); i++)
                if (strcmp(option->name, name) == 0)
                        return option;
        return NULL;
}

/* Options of a run that only one verb takes; every verb that measures takes the others. */
static const struct {
        const char *name;
        unsigned verbs;
} run_options_apart[] = {
        { "margin", VERB_COMPARE },
        { "scale", VERB_RUN },
};

static unsigned run_option_verbs(const benchd_option *option) {
        for (size_t i = 0; i < N_ELEMENTS(run_options_apart); i++)
                if (strcmp(run_options_apart[i].name, option->name) == 0)
                        return run_options_apart[i].verbs;
        return VERB_MEASURE;
}

bool settings_value_is_optional(const char *value) {
        return *value == '[';
}

bool settings_option_at(size_t index, SettingsOption *ret_option) {
        const benchd_option *of_run;

        if (index < N_ELEMENTS(own_options)) {
                const Setting *own = &own_options[index];

                *ret_option = (SettingsOption){ own->name, own->letter, own->value, own->values, own->help, own->verbs,
                        false };
                return true;
        }
        of_run = benchd_option_at(index - N_ELEMENTS(own_options));
        if (!of_run)
                return false;
        *ret_option = (SettingsOption){ of_run->name, 0, of_run->value, of_run->values, of_run->help,
                run_option_verbs(of_run), true };
        return true;
}

/* An option may be benchctl's own for one verb and a run's for another. */
static unsigned option_verbs(const char *name) {
        const benchd_option *of_run = run_option_find(name);
        unsigned verbs = of_run ? run_option_verbs(of_run) : 0;

        for (size_t i = 0; i < N_ELEMENTS(own_options); i++)
                if (strcmp(own_options[i].name, name) == 0)
                        verbs |= own_options[i].verbs;
        return verbs;
}

static const char *option_value(const char *name, const Verb *verb) {
        const Setting *own = own_option_find(name, verb);

        return own ? own->value : run_option_find(name)->value;
}

/* ---- the parser: getopt's view of both tables */

typedef struct Parser {
        Settings *settings;
        struct option rows[PARSER_OPTIONS_MAX + 1];
        char letters[2 + 2 * N_ELEMENTS(own_options) + 1];
} Parser;

static int parser_argument_kind(const char *value) {
        if (!value)
                return no_argument;
        return settings_value_is_optional(value) ? optional_argument : required_argument;
}

/* A name in both tables has one row, or each beginning of it would be ambiguous. */
static void parser_init(Parser *parser, Settings *settings) {
        char *letter = stpcpy(parser->letters, "-:"); /* arguments in their order, and ':' for a missing value */
        const benchd_option *option;
        size_t n = 0;

        parser->settings = settings;
        for (size_t i = 0; i < N_ELEMENTS(own_options); i++) {
                const Setting *own = &own_options[i];

                if (own != own_option_find(own->name, NULL))
                        continue;
                parser->rows[n] = (struct option){ own->name, parser_argument_kind(own->value), NULL,
                        PARSER_ROWS + (int)n };
                n++;
                if (own->letter)
                        letter = stpcpy(letter, (const char[]){ own->letter, own->value ? ':' : '\0', '\0' });
        }
        for (size_t i = 0; n < PARSER_OPTIONS_MAX && (option = benchd_option_at(i)); i++) {
                if (own_option_find(option->name, NULL))
                        continue;
                parser->rows[n] = (struct option){ option->name, parser_argument_kind(option->value), NULL,
                        PARSER_ROWS + (int)n };
                n++;
        }
}

static bool is_file(const char *word) {
        const char *dot = strrchr(word, '.');

        return (dot && strcmp(dot, ".so") == 0) || (strpbrk(word, "/.") && access(word, F_OK) == 0);
}

/* @word is no verb; the one that was probably meant is named. */
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

static int word_list_add(WordList *list, const char *word) {
        const char **words;

        words = reallocarray(list->words, list->n + 1, sizeof *words);
        if (!words)
                return error_origin(-ENOMEM);
        words[list->n++] = word;
        list->words = words;
        return 0;
}

static int given_add(Settings *settings, const char *name, const char *value) {
        GivenOption *given = reallocarray(settings->given, settings->n_given + 1, sizeof *given);

        if (!given)
                return error_origin(-ENOMEM);
        given[settings->n_given++] = (GivenOption){ .name = name, .value = value };
        settings->given = given;
        return 0;
}

/* An option may take a value for one verb and none for another. */
static void parser_take_verb(Parser *parser, const Verb *verb) {
        for (struct option *row = parser->rows; row->name; row++) {
                const Setting *own = own_option_find(row->name, verb);

                if (own)
                        row->has_arg = parser_argument_kind(own->value);
        }
        parser->settings->verb = verb;
}

static int parser_take_argument(Parser *parser, const char *word) {
        Settings *settings = parser->settings;
        const Verb *verb;

        if (settings->verb)
                return error_trace(word_list_add(&settings->arguments, word));
        settings->verb_typed = word;
        verb = verb_find_typed(word);
        if (!verb)
                return settings_refuse_verb(settings, word);
        parser_take_verb(parser, verb);
        return 0;
}

/* The verb may follow its options, so that it takes them is checked at the end. */
static int parser_take_option(Parser *parser, const char *name, const char *value) {
        Settings *settings = parser->settings;
        const Setting *own = own_option_find(name, settings->verb);
        int r;

        r = given_add(settings, name, value);
        if (r)
                return error_trace(r);
        if (own) {
                void *field = (char *)settings + own->offset;

                if (own->kind == SETTING_FLAG)
                        *(bool *)field = true;
                else if (own->kind == SETTING_TEXT)
                        *(const char **)field = value ? value : "";
                else
                        r = word_list_add(field, value);
        }
        if (r || !run_option_find(name))
                return error_trace(r);
        r = benchd_options_set(settings->options, name, value);
        if (r == BENCHD_E_BAD_OPTION)
                return settings_refuse(settings, "%s", benchd_options_problem(settings->options));
        return error_fold(r);
}

/* The option of getopt's value @code, a row's or a letter; NULL for any other. */
static const char *parser_option_name(const Parser *parser, int code) {
        if (code >= PARSER_ROWS)
                return parser->rows[code - PARSER_ROWS].name;
        for (size_t i = 0; code && i < N_ELEMENTS(own_options); i++)
                if (own_options[i].letter == code)
                        return own_options[i].name;
        return NULL;
}

/* @word is neither the name of an option nor the beginning of one alone. */
static int parser_refuse_option(const Parser *parser, const char *word) {
        const Verb *verb = parser->settings->verb;
        Suggestion suggestion;

        suggestion_init(&suggestion, word + 2, strcspn(word + 2, "="), "--");
        for (const struct option *row = parser->rows; row->name; row++)
                if (!verb || verb_takes(verb, option_verbs(row->name)))
                        suggestion_offer(&suggestion, row->name);
        if (suggestion.n > 1)
                return settings_refuse(parser->settings, "option '--%s' is ambiguous: %s", suggestion.word,
                                suggestion.names);
        if (suggestion.n == 1) /* to getopt an option of another verb begins so too */
                settings_hint(parser->settings, "Did you mean %s?", suggestion.names);
        else if (suggestion.nearest.name)
                settings_hint(parser->settings, "Did you mean --%s?", suggestion.nearest.name);
        return settings_refuse(parser->settings, "unknown option '--%s'", suggestion.word);
}

/* A letter that is no option: perhaps of the other case. */
static int parser_refuse_letter(const Parser *parser) {
        for (size_t i = 0; i < N_ELEMENTS(own_options); i++)
                if (own_options[i].letter && tolower(own_options[i].letter) == tolower(optopt))
                        settings_hint(parser->settings, "Did you mean -%c, --%s?", own_options[i].letter,
                                        own_options[i].name);
        return settings_refuse(parser->settings, "unknown option '-%c'", optopt);
}

/* True if the value of an option is the next word, which is an option itself: the value was forgotten. */
static bool is_value_missing(const char *word) {
        return optarg && strncmp(optarg, "--", 2) == 0 && (word[1] == '-' ? !strchr(word, '=') : !word[2]);
}

/* Takes what getopt read from @word: @code is an option's value, 1 for an argument, '?' or ':' for a mistake. */
static int parser_take(Parser *parser, int code, const char *word) {
        const char *name;

        if (code == 1)
                return parser_take_argument(parser, optarg);
        name = parser_option_name(parser, code == '?' || code == ':' ? optopt : code);
        if (!name && word[1] != '-')
                return parser_refuse_letter(parser);
        if (!name)
                return parser_refuse_option(parser, word);
        if (code == '?')
                return settings_refuse(parser->settings, "--%s takes no value", name);
        if (code == ':' || (optarg && !*optarg) || is_value_missing(word))
                return settings_refuse(parser->settings, "--%s needs a value: --%s=%.*s", name, name,
                                (int)strcspn(option_value(name, parser->settings->verb), ","),
                                option_value(name, parser->settings->verb));
        return parser_take_option(parser, name, optarg);
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
                r = parser_take(parser, code, word);
        }
        for (int i = optind; r == 0 && i < argc; i++)
                r = word_list_add(&parser->settings->filters, argv[i]);
        return error_trace(r);
}

/* ---- the whole */

/* The message names the verbs that take the option. */
static int settings_refuse_option(Settings *settings, const char *option) {
        char others[SETTINGS_PROBLEM_MAX / 2] = "";
        const char *separator = "";
        const Verb *verb;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                if (verb_takes(verb, option_verbs(option))) {
                        size_t n = strlen(others);

                        snprintf(others + n, sizeof others - n, "%s%s", separator, verb->name);
                        separator = ", ";
                }
        return settings_refuse(settings, "--%s is not an option of '%s' (only of %s)", option, settings->verb->name,
                        others);
}

static int settings_check_all(Settings *settings) {
        if (settings->help || settings->version)
                return 0;
        if (!settings->verb)
                return SETTINGS_E_NO_VERB;
        for (size_t i = 0; i < settings->n_given; i++)
                if (!verb_takes(settings->verb, option_verbs(settings->given[i].name)))
                        return settings_refuse_option(settings, settings->given[i].name);
        return error_trace(settings_check(settings));
}

/* A verb that stands for an option sets it, as if it was typed behind the verb that is its operand. */
static int settings_set_verb_option(Settings *settings) {
        const WordList *words = &settings->arguments;

        *(bool *)((char *)settings + own_option_find(settings->verb->option, NULL)->offset) = true;
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
                r = settings_check_all(settings);
        if (r == 0 && !settings->help && !settings->version && settings->verb->option)
                r = settings_set_verb_option(settings);
        return error_trace(r);
}

void settings_clear(Settings *settings) {
        benchd_options_free(settings->options);
        benchd_query_free(settings->query);
        free(settings->arguments.words);
        free(settings->filters.words);
        free(settings->with.words);
        free(settings->preload.words);
        free(settings->environment.words);
        free(settings->inputs.words);
        free(settings->source_directories.words);
        free(settings->fail_on_typed.words);
        free(settings->given);
        *settings = (Settings){};
}
