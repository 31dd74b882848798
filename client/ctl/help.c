/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/help.h"

#include "benchd/client.h"
#include "ctl/option.h"
#include "ctl/verb.h"

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
        const Option *option;

        fprintf(out, "\nOptions:\n");
        for (size_t i = 0; (option = option_at(i)); i++)
                if (option->kind != OPTION_LATER && (option->verbs & verbs) == verbs)
                        help_print_option(option->name, option->letter, option->value, option->help, out);
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

void help_print(const Verb *verb, FILE *out) {
        if (!verb) {
                help_print_program(out);
                return;
        }
        fprintf(out, "benchctl %s %s\n\n%s: %s.\n", verb->name, verb->usage, verb->name, verb->about);
        if (verb->bit & VERB_MODULE)
                fprintf(out, "A filter is a glob over area/benchmark/arg=value; a leading ! excludes.\n");
        if (verb->bit & VERB_JOB)
                fprintf(out, "A job is named by its id, or a beginning of it that no other job has; 'history' lists them.\n");
        if (verb->bit == VERB_HISTORY)
                fprintf(out, "A filter is a glob over the names of modules.\n");
        if (verb->bit & VERB_MEASURE)
                help_print_run_options(out);
        help_print_own_options(verb->bit, out);
}
