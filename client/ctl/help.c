/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/help.h"

#include <string.h>

#include "ctl/settings.h"
#include "ctl/show.h"
#include "ctl/typeset.h"
#include "ctl/verb.h"

#define HELP_WIDTH  80 /* terminal columns */
#define HELP_INDENT 24

static void print_row(const char *left, const char *help, FILE *out) {
        fprintf(out, "  %-*s ", HELP_INDENT - 3, left);
        typeset_wrap(help, HELP_INDENT, HELP_INDENT, HELP_WIDTH, out);
        fputc('\n', out);
}

static void print_option(const SettingsOption *option, FILE *out) {
        char left[64], letter[8] = "";

        if (option->letter)
                snprintf(letter, sizeof letter, "-%c, ", option->letter);
        if (!option->value)
                snprintf(left, sizeof left, "%s--%s", letter, option->name);
        else if (settings_value_is_optional(option->value))
                snprintf(left, sizeof left, "%s--%s[=%s", letter, option->name, option->value + 1);
        else
                snprintf(left, sizeof left, "%s--%s=%s", letter, option->name, option->value);
        print_row(left, option->help, out);
}

/* Prints the options, a run's or benchctl's own, that all of @verbs take. */
static void print_options(const char *title, unsigned verbs, bool of_run, FILE *out) {
        SettingsOption option;

        fprintf(out, "\n%s:\n", title);
        for (size_t i = 0; settings_option_at(i, &option); i++)
                if (option.of_run == of_run && (option.verbs & verbs) == verbs)
                        print_option(&option, out);
}

/* Prints the formats of @verb, of which every verb that prints a document has several. */
static void print_formats(unsigned verb, FILE *out) {
        const ShowFormat *format;

        fprintf(out, "\nFormats, by --format or by the suffix of --output:\n");
        for (size_t i = 0; (format = show_format_at(i)); i++) {
                const char *suffixes = format->suffixes ? format->suffixes : "";
                char left[64];

                if (!show_has(format, show_kinds_of(verb)))
                        continue;
                snprintf(left, sizeof left, "%s%s%.*s", format->name, *suffixes ? " " : "", (int)strcspn(suffixes, "|"),
                                suffixes);
                print_row(left, format->help, out);
        }
}

static void print_program(FILE *out) {
        const Verb *verb;

        fprintf(out, "benchctl COMMAND [OPTIONS] [AREA|MODULE.so|MODULE.c...] [-- FILTER...]\n\n"
                     "Measures how long code takes.\n"
                     "  benchctl run                  what the operations of this machine cost\n"
                     "  benchctl run strings          ... those of one area; 'benchctl list' has all\n"
                     "  benchctl run mybench.c        benchmarks of your own, or a module: mybench.so\n"
                     "  benchctl run --private ...    the same without the system's daemon\n"
                     "  benchctl run --host=HOST ...  on another machine, over ssh\n"
                     "\nCommands:\n");
        for (size_t i = 0; (verb = verb_at(i)); i++)
                print_row(verb->name, verb->about, out);
        print_options("Options", VERB_ANSWER, false, out);
        fprintf(out, "\n'benchctl COMMAND --help' lists a command's options; benchctl(1) is the manual.\n");
}

void help_print(const Verb *verb, FILE *out) {
        if (!verb) {
                print_program(out);
                return;
        }
        fprintf(out, "benchctl %s %s\n\n%s: %s.\n", verb->name, verb->usage, verb->name, verb->about);
        if (verb->bit & (VERB_RUN | VERB_LIST))
                fprintf(out, "An area is one of the built-in benchmarks; with nothing named, all of them.\n");
        if (verb->bit & VERB_MODULE)
                fprintf(out, "A filter is a glob over area/benchmark/arg=value; a leading ! excludes.\n");
        if (verb->bit & VERB_CODE)
                fprintf(out, "BENCHMARK is AREA/NAME, or NAME if one area has it; without a module it is a\n"
                             "built-in one. @JOB stands for the module of an earlier job.\n");
        if (verb->bit & VERB_JOB)
                fprintf(out, "JOB is the id of a job or an unambiguous beginning of it; 'benchctl history'\n"
                             "lists jobs.\n");
        if (verb->bit == VERB_SHOW)
                fprintf(out, "FILE.json holds a result, or several, as --format=json wrote them.\n");
        if (verb->bit == VERB_GOVERNOR)
                fprintf(out, "NAME is a kernel governor, such as performance or powersave, or a scheme, which\n"
                             "also sets the energy preference, boost and the firmware's profile:\n"
                             "high-performance, balanced, power-saver.\n");
        if (verb->bit == VERB_HISTORY)
                fprintf(out, "A filter is a glob over area/benchmark/arg=value: its times, one line a run.\n");
        if (verb->bit & VERB_MEASURE)
                print_options("Measuring", verb->bit, true, out);
        print_options("Options", verb->bit, false, out);
        if (verb->bit & VERB_ANSWER && show_kinds_of(verb->bit))
                print_formats(verb->bit, out);
}
