/* SPDX-License-Identifier: MIT */
#include "util/program-options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX 32u
#define TAG_MAX  64u

static void print_row(const ProgramOption *row) {
        const char *value = row->value ? row->value : "", *end = strstr(row->text, ". ");
        char tag[TAG_MAX];

        if (*value == '[')
                snprintf(tag, sizeof tag, "%s[=%s", row->name, value + 1);
        else
                snprintf(tag, sizeof tag, "%s%s%s", row->name, *value ? "=" : "", value);
        printf("  --%-22s %.*s\n", tag, (int)(end ? end + 1 - row->text : (ptrdiff_t)strlen(row->text)), row->text);
}

static int print_help(const ProgramOptions *program) {
        printf("%s\n", program->head);
        for (size_t i = 0; i < program->n; i++)
                print_row(&program->rows[i]);
        printf("  --help, --version\n%s", program->tail);
        return PROGRAM_OPTIONS_E_DONE;
}

static int usage(const ProgramOptions *program) {
        fprintf(stderr, "        '%s --help' lists its options.\n", program->name);
        return PROGRAM_OPTIONS_E_USAGE;
}

int program_options_refuse(const ProgramOptions *program, const char *format, ...) {
        va_list arguments;

        fprintf(stderr, "%s: ", program->name);
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
        return usage(program);
}

static int take(const ProgramOptions *program, const ProgramOption *row, void *options) {
        void *field = (char *)options + row->offset;
        const char *complaint = NULL;

        if (row->take)
                complaint = row->take(optarg, field);
        else if (row->value)
                *(const char **)field = optarg;
        else
                *(bool *)field = true;
        return complaint ? program_options_refuse(program, "--%s %s", row->name, complaint) : 0;
}

static int argument_kind(const ProgramOption *row) {
        if (!row->value)
                return no_argument;
        return *row->value == '[' ? optional_argument : required_argument;
}

int program_options_parse(const ProgramOptions *program, int argc, char **argv, void *options) {
        struct option table[ROWS_MAX + 3] = { { "help", no_argument, NULL, 'h' },
                { "version", no_argument, NULL, 'v' } };
        const size_t n = program->n;
        int index, code, r = 0;

        for (size_t i = 0; i < n && i < ROWS_MAX; i++)
                table[2 + i] = (struct option){ program->rows[i].name, argument_kind(&program->rows[i]), NULL, 1 };
        while (r == 0 && (code = getopt_long(argc, argv, "", table, &index)) >= 0) {
                if (code == 'h')
                        return print_help(program);
                if (code == 'v')
                        return printf("%s %s\n", program->name, BENCHD_VERSION), PROGRAM_OPTIONS_E_DONE;
                r = code == 1 ? take(program, &program->rows[index - 2], options)
                              : usage(program); /* getopt has named the option */
        }
        return r;
}
