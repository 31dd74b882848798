/* SPDX-License-Identifier: MIT */

/*
 * A program of the build: prints headers from the rows of options, so that neither the launcher nor a runner nor benchctl has the table, or
 * protobuf. ops/asked.h is the part of a runner's plan that a request fills in; with the word "here" it is words/here-options.h, the options
 * that benchctl run --here hands to the runner.
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/run-options.h"

static void print_upper(const char *text) {
        for (; *text; text++)
                putchar(*text == '-' ? '_' : toupper((unsigned char)*text));
}

static void print_flags(void) {
        const RunOption *option;
        unsigned n = 0;

        printf("/* Flags, in RunnerPlan.options. */\nenum {\n");
        for (size_t i = 0; (option = run_option_at(i)); i++) {
                if (!option->runner || run_option_is_number(option))
                        continue;
                printf("        RUNNER_OPTION_");
                print_upper(option->field);
                printf(" = 1u << %u, /* %s */\n", n++, option->help);
        }
        printf("        _RUNNER_OPTIONS_ASKED = (1u << %u) - 1,\n};\n\n", n);
}

static void print_numbers(void) {
        const RunOption *option;

        printf("/* Numbers, in RunnerPlan.asked; 0: not asked for. */\ntypedef struct RunnerAsked {\n");
        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (option->runner && run_option_is_number(option))
                        printf("        uint64_t %s; /* %s */\n", option->field, option->help);
        printf("} RunnerAsked;\n\n");
}

static void print_check(void) {
        const RunOption *option;

        printf("/* True if each number is within its bounds. */\n"
               "static inline bool runner_asked_is_valid(const RunnerAsked *asked) {\n"
               "        return true");
        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (option->runner && run_option_is_number(option))
                        printf(" &&\n               (asked->%s == 0 || (asked->%s >= UINT64_C(%" PRIu64
                               ") && asked->%s <= UINT64_C(%" PRIu64 ")))",
                                        option->field, option->field, run_option_field_least(option), option->field,
                                        run_option_field_most(option));
        printf(";\n}\n");
}

static void print_asked(void) {
        printf("#include <stdbool.h>\n#include <stdint.h>\n\n");
        print_flags();
        print_numbers();
        print_check();
}

static void print_here(void) {
        const RunOption *option;

        printf("#include <stdint.h>\n\nenum {\n");
        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (option->here) {
                        printf("        HERE_OPTION_");
                        print_upper(option->name);
                        printf(",\n");
                }
        printf("        _HERE_OPTIONS_N,\n};\n\n"
               "/* A number in @unit, which is from @least to @most in that of its field; no unit: it is none, and changes nothing there. */\n"
               "typedef struct HereOption {\n        const char *name;\n        uint64_t unit, least, most;\n} HereOption;\n\n"
               "static const HereOption here_options[_HERE_OPTIONS_N] = {\n");
        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (option->here)
                        printf("        { \"%s\", %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u },\n", option->name,
                                        option->unit_ns > 0 ? option->unit_ns : run_option_is_number(option),
                                        run_option_field_least(option), run_option_field_most(option));
        printf("};\n");
}

int main(int argc, char **argv) {
        printf("/* SPDX-License-Identifier: MIT */\n#pragma once\n\n/* Made from proto/run-options.c. */\n\n");
        if (argc > 1 && strcmp(argv[1], "here") == 0)
                print_here();
        else
                print_asked();
        return fflush(stdout) ? 1 : 0;
}
