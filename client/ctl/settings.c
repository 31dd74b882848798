/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/settings.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/option.h"
#include "ctl/show.h"
#include "ctl/verb.h"
#include "util/cleanup.h"
#include "util/error.h"

/* Where the reading of the command line stands. */
typedef struct Parser {
        Settings *settings;
        const char *const *next;
        bool filters;        /* past "--" */
        unsigned verbs;      /* that take all options so far */
        const char *strange; /* the last option that made them fewer */
} Parser;

__attribute__((format(printf, 2, 3))) static int refuse(Settings *settings, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(settings->problem, sizeof settings->problem, format, arguments);
        va_end(arguments);
        return SETTINGS_E_USAGE;
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

/* ---- one option */

static const benchd_option *run_option_find(const char *name, size_t n_name) {
        const benchd_option *option;

        for (size_t i = 0; (option = benchd_option_at(i)); i++)
                if (strlen(option->name) == n_name && memcmp(option->name, name, n_name) == 0)
                        return option;
        return NULL;
}

/* Which verbs take what was given is asked when the verb is known. */
static void parser_note_verbs(Parser *parser, const char *name, unsigned verbs) {
        if ((parser->verbs & verbs) != parser->verbs)
                parser->strange = name;
        parser->verbs &= verbs;
}

/* The value of an option that takes one: what stood behind "=", or the next word. Returns 0 or E_USAGE. */
static int parser_take_value(Parser *parser, const char *name, const char *takes, const char **value) {
        if (!takes)
                return *value ? refuse(parser->settings, "--%s takes no value", name) : 0;
        if (*value)
                return **value ? 0 : refuse(parser->settings, "--%s takes a value: --%s=%s", name, name, takes);
        if (!*parser->next)
                return refuse(parser->settings, "--%s takes a value: --%s=%s", name, name, takes);
        *value = *parser->next++;
        return 0;
}

static int parser_set(Parser *parser, const Option *option, const char *value) {
        void *field = (char *)parser->settings + option->offset;

        switch (option->kind) {
        case OPTION_FLAG:
                *(bool *)field = true;
                return 0;
        case OPTION_TEXT:
                *(const char **)field = value;
                return 0;
        case OPTION_LIST:
                return error_trace(word_list_add(field, value));
        default:
                return refuse(parser->settings, "--%s is not yet supported by this version", option->name);
        }
}

static int parser_take_option(Parser *parser, const Option *option, const char *value) {
        int r;

        r = parser_take_value(parser, option->name, option->value, &value);
        if (r)
                return r;
        parser_note_verbs(parser, option->name, option->verbs);
        return error_trace(parser_set(parser, option, value));
}

static int parser_take_run_option(Parser *parser, const benchd_option *option, const char *value) {
        benchd_options *of_run = parser->settings->options;
        int r;

        r = parser_take_value(parser, option->name, option->value, &value);
        if (r)
                return r;
        parser_note_verbs(parser, option->name, VERB_MEASURE);
        r = benchd_options_set(of_run, option->name, value);
        if (r == BENCHD_E_BAD_OPTION)
                return refuse(parser->settings, "%s", benchd_options_problem(of_run));
        return error_fold(r);
}

/* @word is what follows the two dashes. */
static int parser_take_long(Parser *parser, const char *word) {
        size_t n_name = strcspn(word, "=");
        const char *value = word[n_name] ? word + n_name + 1 : NULL;
        const benchd_option *of_run = run_option_find(word, n_name);
        const Option *option = option_find(word, n_name);

        if (option)
                return parser_take_option(parser, option, value);
        if (of_run)
                return parser_take_run_option(parser, of_run, value);
        return refuse(parser->settings, "There is no option --%.*s", (int)n_name, word);
}

/* @letters is what follows the dash: options without a value, or one with its value. */
static int parser_take_letters(Parser *parser, const char *letters) {
        for (; *letters; letters++) {
                const Option *option = option_find_letter(*letters);

                if (!option)
                        return refuse(parser->settings, "There is no option -%c", *letters);
                if (option->value)
                        return parser_take_option(parser, option, letters[1] ? letters + 1 : NULL);
                parser_take_option(parser, option, NULL);
        }
        return 0;
}

/* ---- the whole */

static int parser_take_argument(Parser *parser, const char *word) {
        Settings *settings = parser->settings;

        if (parser->filters)
                return error_trace(word_list_add(&settings->filters, word));
        if (settings->verb)
                return error_trace(word_list_add(&settings->arguments, word));
        settings->verb = verb_find(word);
        if (!settings->verb)
                return refuse(settings, "'%s' is not something that benchctl does", word);
        return 0;
}

static int parser_take_word(Parser *parser, const char *word) {
        if (parser->filters || word[0] != '-' || word[1] == '\0')
                return parser_take_argument(parser, word);
        if (word[1] != '-')
                return parser_take_letters(parser, word + 1);
        if (word[2] != '\0')
                return parser_take_long(parser, word + 2);
        parser->filters = true;
        return 0;
}

/* The one JOB of the verbs that are about one. */
static int parser_take_job(Settings *settings) {
        const char *verb = settings->verb->name;

        if (settings->arguments.n != 1 || settings->filters.n > 0)
                return refuse(settings, "'%s' takes one job: benchctl %s JOB", verb, verb);
        if (job_name_parse(settings->arguments.words[0], settings->job))
                return refuse(settings, "'%s' is no job, which has %u to %u hexadecimal digits",
                                settings->arguments.words[0], JOB_NAME_MIN, JOB_NAME_MAX);
        return 0;
}

static int parser_check(const Parser *parser) {
        Settings *settings = parser->settings;

        if (settings->help || settings->version)
                return 0;
        if (!settings->verb)
                return refuse(settings, "Nothing was asked for");
        if (!settings->verb->run)
                return refuse(settings, "'%s' comes with a later version", settings->verb->name);
        if (!(settings->verb->bit & parser->verbs))
                return refuse(settings, "--%s is not an option of '%s'", parser->strange, settings->verb->name);
        if (settings->private_daemon && settings->socket)
                return refuse(settings, "--private starts a daemon, --socket reaches another one: take one of them");
        if (settings->private_daemon && benchd_options_detach(settings->options))
                return refuse(settings, "--private's daemon ends with benchctl, so --detach cannot be with it");
        if (!show_find(settings->format))
                return refuse(settings, "There is no format '%s'", settings->format);
        if (!show_find(settings->format)->print)
                return refuse(settings, "--format=%s is not yet supported by this version", settings->format);
        if (settings->verb->bit & VERB_JOB)
                return parser_take_job(settings);
        return 0;
}

int settings_parse(Settings *settings, const char *const *argv) {
        Parser parser = { .settings = settings, .next = argv, .verbs = VERB_ANY };
        int r;

        *settings = (Settings){ .format = "table" };
        r = benchd_options_new(&settings->options);
        if (r == 0)
                r = benchd_query_new(&settings->query);
        while (r == 0 && *parser.next)
                r = parser_take_word(&parser, *parser.next++);
        if (r)
                return error_trace(r);
        return parser_check(&parser);
}

void settings_clear(Settings *settings) {
        benchd_options_free(settings->options);
        benchd_query_free(settings->query);
        free(settings->arguments.words);
        free(settings->filters.words);
        free(settings->with.words);
        free(settings->environment.words);
        *settings = (Settings){};
}
