/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/base/last-lines.h"
#include "ctl/base/printable.h"
#include "util/cleanup.h"
#include "util/file-draft.h"

static void print_line(const char *start, const char *format, va_list arguments) {
        _cleanup_(freep) char *text = NULL;

        if (vasprintf(&text, format, arguments) < 0)
                return;
        printable_text(text);
        fprintf(stderr, "%s%s\n", start, text);
}

void complain(const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        print_line("benchctl: ", format, arguments);
        va_end(arguments);
}

void complain_hint(const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        print_line("          ", format, arguments);
        va_end(arguments);
}

void complain_hint_to(const char *options, const char *format, ...) {
        _cleanup_(freep) char *hint = NULL, *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&hint, format, arguments);
        va_end(arguments);
        hint = n < 0 ? NULL : hint;
        text = hint ? hint_with_options(hint, options ? options : "") : NULL;
        if (text)
                complain_hint("%s", text);
}

int complain_unwritten(const char *kind, const char *path, int r) {
        if (r == FILE_DRAFT_E_FOREIGN) {
                complain("Cannot write %s%s: it, or a symbolic link on the way to it, belongs to another user.", kind,
                                path);
                complain_hint("Name a file of your own, or the one that the link leads to.");
        } else
                complain("Cannot write %s%s: %s.", kind, path, benchd_error_string(r));
        return EXIT_USAGE;
}

#define COMPLAIN_OUTPUT_LINES 5u

/* Prints the last lines of @output, which may be NULL, below the message. */
static void complain_output(const char *output) {
        _cleanup_(freep) char *lines = output ? strdup(output) : NULL;

        if (!lines)
                return;
        printable_lines(lines);
        last_lines_print(lines, COMPLAIN_OUTPUT_LINES, "          | ", stderr);
}

typedef struct ErrorExit {
        const char *code;
        int exit;
        const char *hint; /* if the daemon gives none */
} ErrorExit;

/* Codes that blame something other than the daemon. */
static const ErrorExit error_exits[] = {
        { "bad-request", EXIT_USAGE, NULL },
        { "no-match", EXIT_USAGE, NULL },
        { "not-found", EXIT_USAGE, "'benchctl history' lists jobs." },
        { "bad-module", EXIT_BENCHMARK, NULL },
        { "unsupported", EXIT_MACHINE, NULL },
        { "cancelled", EXIT_CANCELLED, NULL },
        { "not-done", EXIT_DAEMON, "'benchctl wait JOB' waits for its end." },
        { "lost", EXIT_DAEMON, "Submit it again." },
};

static ErrorExit find_exit(const char *code) {
        for (size_t i = 0; i < N_ELEMENTS(error_exits); i++)
                if (strcmp(error_exits[i].code, code) == 0)
                        return error_exits[i];
        return (ErrorExit){ .exit = EXIT_DAEMON };
}

int complain_exit(const char *code) {
        return find_exit(code).exit;
}

/* The rest of @event, below its message. */
static int complain_below(const benchd_event *event, const char *options) {
        const ErrorExit row = find_exit(benchd_event_error_code(event));
        const char *what_to_do = benchd_event_error_hint(event);

        complain_output(benchd_event_error_output(event));
        what_to_do = what_to_do ? what_to_do : row.hint;
        if (what_to_do)
                complain_hint_to(options, "%s", what_to_do);
        return row.exit;
}

int complain_event(const benchd_event *event, const char *options) {
        complain("%s", benchd_event_error_message(event));
        return complain_below(event, options);
}

int complain_remedy(const benchd_event *event, const char *options) {
        return complain_below(event, options);
}

int complain_event_at(const char *machine, const benchd_event *event, const char *options) {
        complain("%s: %s", machine, benchd_event_error_message(event));
        return complain_below(event, options);
}
