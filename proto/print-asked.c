/* SPDX-License-Identifier: MIT */

/*
 * A program of the build: prints the header ops/asked.h, the part of a runner's plan that a request fills in, from the rows of options that
 * go there. So neither the launcher nor a runner has the table, or protobuf.
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "proto/run-options.h"

static void print_flags(void) {
        const RunOption *option;
        unsigned n = 0;

        printf("/* Flags, in RunnerPlan.options. */\nenum {\n");
        for (size_t i = 0; (option = run_option_at(i)); i++) {
                if (!option->runner || run_option_is_number(option))
                        continue;
                printf("        RUNNER_OPTION_");
                for (const char *c = option->field; *c; c++)
                        putchar(toupper((unsigned char)*c));
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

int main(void) {
        printf("/* SPDX-License-Identifier: MIT */\n#pragma once\n\n/* Made from proto/run-options.c. */\n\n"
               "#include <stdbool.h>\n#include <stdint.h>\n\n");
        print_flags();
        print_numbers();
        print_check();
        return fflush(stdout) ? 1 : 0;
}
