/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/settings.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/show.h"
#include "ctl/verb.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef enum OptionKind {
        OPTION_LATER,
        OPTION_FLAG,
        OPTION_TEXT,
        OPTION_LIST,
} OptionKind;

/* An option of benchctl's own. Those of a run are the library's: benchd_option_at(). */
typedef struct Option {
        const char *name;
        char letter;
        const char *value; /* what it takes, as the help text writes it; NULL if it takes none */
        OptionKind kind;
        unsigned verbs;
        size_t offset; /* in Settings */
        const char *help;
} Option;

#define VERB_MODULE (VERB_RUN | VERB_LIST)
#define FIELD(name) offsetof(Settings, name)

/* clang-format off */
static const Option options[] = {
        { "with", 0, "LIB.so", OPTION_LIST, VERB_MODULE, FIELD(with), "load a library before the module" },
        { "env", 0, "NAME=VALUE", OPTION_LIST, VERB_MODULE, FIELD(environment), "set a variable for the module" },
        { "format", 0, "FORMAT", OPTION_TEXT, VERB_ANY, FIELD(format), "table (default) or json" },
        { "output", 'o', "FILE", OPTION_TEXT, VERB_ANY, FIELD(output), "write the result there" },
        { "private", 0, NULL, OPTION_FLAG, VERB_ANY, FIELD(private_daemon), "start a daemon of its own for this run" },
        { "socket", 0, "PATH", OPTION_TEXT, VERB_ANY, FIELD(socket), "reach the daemon there" },
        { "quiet", 'q', NULL, OPTION_FLAG, VERB_ANY, FIELD(quiet), "no progress line" },
        { "no-color", 0, NULL, OPTION_FLAG, VERB_ANY, FIELD(no_color), "no colour; so does NO_COLOR in the environment" },
        { "help", 'h', NULL, OPTION_FLAG, VERB_ANY, FIELD(help), "this text" },
        { "version", 'V', NULL, OPTION_FLAG, VERB_ANY, FIELD(version), "the version" },
        { "raw", 0, "FILE", OPTION_LATER, VERB_RUN, 0, NULL },
        { "columns", 0, "LIST", OPTION_LATER, VERB_RUN, 0, NULL },
        { "sort", 0, "KEY", OPTION_LATER, VERB_RUN, 0, NULL },
        { "open", 0, NULL, OPTION_LATER, VERB_RUN, 0, NULL },
        { "input", 0, "FILE", OPTION_LATER, VERB_RUN, 0, NULL },
        { "detach", 0, NULL, OPTION_LATER, VERB_RUN, 0, NULL },
        { "fail-on", 0, "slower", OPTION_LATER, VERB_RUN, 0, NULL },
        { "trace", 0, NULL, OPTION_LATER, VERB_RUN, 0, NULL },
        { "here", 0, NULL, OPTION_LATER, VERB_RUN, 0, NULL },
};
/* clang-format on */

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

static const Option *option_find(const char *name, size_t n_name) {
        for (size_t i = 0; i < N_ELEMENTS(options); i++)
                if (strlen(options[i].name) == n_name && memcmp(options[i].name, name, n_name) == 0)
                        return &options[i];
        return NULL;
}

static const Option *option_find_letter(char letter) {
        for (size_t i = 0; i < N_ELEMENTS(options); i++)
                if (options[i].letter == letter)
                        return &options[i];
        return NULL;
}

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
        parser_note_verbs(parser, option->name, VERB_RUN);
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
        if (!show_find(settings->format))
                return refuse(settings, "There is no format '%s'", settings->format);
        if (!show_find(settings->format)->print)
                return refuse(settings, "--format=%s is not yet supported by this version", settings->format);
        return 0;
}

int settings_parse(Settings *settings, const char *const *argv) {
        Parser parser = { .settings = settings, .next = argv, .verbs = VERB_ANY };
        int r;

        *settings = (Settings){ .format = "table" };
        r = benchd_options_new(&settings->options);
        while (r == 0 && *parser.next)
                r = parser_take_word(&parser, *parser.next++);
        if (r)
                return error_trace(r);
        return parser_check(&parser);
}

void settings_clear(Settings *settings) {
        benchd_options_free(settings->options);
        free(settings->arguments.words);
        free(settings->filters.words);
        free(settings->with.words);
        free(settings->environment.words);
        *settings = (Settings){};
}

/* ---- help */

#define HELP_WIDTH 24

static void help_print_option(const char *name, char letter, const char *value, const char *help, FILE *out) {
        char left[64], shorter[8] = "";

        if (letter)
                snprintf(shorter, sizeof shorter, "-%c, ", letter);
        snprintf(left, sizeof left, "%s--%s%s%s", shorter, name, value ? "=" : "", value ? value : "");
        fprintf(out, "  %-*s %s\n", HELP_WIDTH, left, help);
}

static void help_print_run_options(FILE *out) {
        const benchd_option *option;

        fprintf(out, "\nHow it measures:\n");
        for (size_t i = 0; (option = benchd_option_at(i)); i++)
                if (option->supported)
                        help_print_option(option->name, 0, option->value, option->help, out);
}

static void help_print_own_options(unsigned verbs, FILE *out) {
        fprintf(out, "\nOptions:\n");
        for (size_t i = 0; i < N_ELEMENTS(options); i++)
                if (options[i].kind != OPTION_LATER && (options[i].verbs & verbs) == verbs)
                        help_print_option(options[i].name, options[i].letter, options[i].value, options[i].help, out);
}

static void help_print_verbs(FILE *out) {
        const Verb *verb;

        fprintf(out, "\nWhat it does:\n");
        for (size_t i = 0; (verb = verb_at(i)); i++)
                if (verb->run)
                        fprintf(out, "  %-*s %s\n", HELP_WIDTH, verb->name, verb->about);
        fprintf(out, "\nIn later versions:\n ");
        for (size_t i = 0; (verb = verb_at(i)); i++)
                if (!verb->run)
                        fprintf(out, " %s", verb->name);
        fputc('\n', out);
}

static void help_print_program(FILE *out) {
        fprintf(out, "benchctl VERB [OPTIONS] [MODULE.so...] [-- FILTER...]\n\n"
                     "Times code: compile a module with benchd/bench.h, then\n"
                     "  benchctl run mybench.so             through the daemon\n"
                     "  benchctl run --private mybench.so   without one\n");
        help_print_verbs(out);
        help_print_own_options(VERB_ANY, out);
        fprintf(out, "\n'benchctl VERB --help' tells more, benchctl(1) all of it.\n");
}

void settings_print_help(const Verb *verb, FILE *out) {
        if (!verb) {
                help_print_program(out);
                return;
        }
        fprintf(out, "benchctl %s %s\n\n%s: %s.\n", verb->name, verb->usage, verb->name, verb->about);
        if (verb->bit & VERB_MODULE)
                fprintf(out, "A filter is a glob over area/benchmark/arg=value; a leading ! excludes.\n");
        if (verb->bit == VERB_RUN)
                help_print_run_options(out);
        help_print_own_options(verb->bit, out);
}
