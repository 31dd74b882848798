/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/help.h"

#include <string.h>

#include "ctl/app/command-options.h"
#include "ctl/app/verbs.h"
#include "ctl/base/typeset.h"
#include "ctl/model/columns.h"
#include "ctl/model/view.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

#define HELP_WIDTH  80 /* terminal columns */
#define HELP_INDENT 24

static void print_row(const char *left, const char *help, FILE *out) {
        if (strlen(left) > HELP_INDENT - 3)
                fprintf(out, "  %s\n%*s", left, HELP_INDENT, "");
        else
                fprintf(out, "  %-*s ", HELP_INDENT - 3, left);
        typeset_wrap(help, HELP_INDENT, HELP_INDENT, HELP_WIDTH, out);
        fputc('\n', out);
}

static void print_option(const CommandOption *option, FILE *out) {
        char left[64], letter[8] = "";

        if (option->letter)
                snprintf(letter, sizeof letter, "-%c, ", option->letter);
        if (!option->value)
                snprintf(left, sizeof left, "%s--%s", letter, option->name);
        else if (command_option_may_lack_value(option))
                snprintf(left, sizeof left, "%s--%s[=%s", letter, option->name, option->value + 1);
        else
                snprintf(left, sizeof left, "%s--%s%c%s", letter, option->name,
                                option->kind == OPTION_TUPLE ? ' ' : '=', option->value);
        print_row(left, option->help, out);
}

/* Prints the options, a run's or benchctl's own, that @verb takes; NULL: that every verb does. */
static void print_options(const char *title, const Verb *verb, bool of_run, FILE *out) {
        bool begun = false;
        const CommandOption *option;

        for (size_t i = 0; (option = command_option_at(i)); i++) {
                if ((option->kind == OPTION_OF_RUN) != of_run || !command_option_is_of(option, verb))
                        continue;
                if (!begun)
                        fprintf(out, "\n%s:\n", title);
                begun = true;
                print_option(option, out);
        }
}

/* Several hosts have other ones, which an error lists. */
static void print_columns(const Verb *verb, FILE *out) {
        static const struct {
                ColumnTableKind kind;
                const char *of;
        } tables[] = { { TABLE_RUN, "of a run" }, { TABLE_COMPARISON, "of a comparison" },
                { TABLE_COMMANDS, "of commands" }, { TABLE_COMMAND_COMPARISON, "of compared commands" } };
        bool begun = false;

        for (size_t i = 0; i < N_ELEMENTS(tables); i++) {
                _cleanup_(text_stream_clear) TextStream names = {};

                if (!verb_takes(verb, command_option_find("columns", verb)->verbs) ||
                                !view_may_show(verb, tables[i].kind))
                        continue;
                columns_print_names(tables[i].kind, text_stream_open(&names));
                if (text_stream_close(&names) < 0)
                        return;
                fputs(begun ? "" : "\nColumns, by --columns:\n", out);
                begun = true;
                print_row(tables[i].of, names.text, out);
        }
}

static void print_formats(unsigned kinds, FILE *out) {
        const ShowFormat *format;

        fprintf(out, "\nFormats, by --format or by the suffix of --output:\n");
        for (size_t i = 0; (format = show_format_at(i)); i++) {
                const char *suffixes = format->suffixes ? format->suffixes : "";
                char left[64];

                if (!show_has(format, kinds))
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
        print_options("Options", NULL, false, out);
        fprintf(out, "\n'benchctl COMMAND --help' lists a command's options; benchctl(1) is the manual.\n");
}

void help_print(const Verb *verb, FILE *out) {
        if (!verb) {
                print_program(out);
                return;
        }
        fprintf(out, "benchctl %s %s%s\n\n%s: %s.\n", verb->name, verb->traits ? "[OPTIONS] " : "", verb->operands,
                        verb->name, verb->about);
        for (size_t i = 0; i < N_ELEMENTS(verb->notes) && verb->notes[i]; i++)
                fputs(verb->notes[i], out);
        print_options("Measuring", verb, true, out);
        print_options("Options", verb, false, out);
        print_columns(verb, out);
        if (verb->answers)
                print_formats(verb->answers, out);
}
