/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/exit.h"
#include "ctl/printable.h"
#include "util/cleanup.h"

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

void hint(const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        print_line("          ", format, arguments);
        va_end(arguments);
}

typedef struct ErrorExit {
        const char *code;
        int exit;
} ErrorExit;

/* What is not here is the daemon's own affair. */
static const ErrorExit error_exits[] = {
        { "bad-request", EXIT_USAGE },
        { "no-match", EXIT_USAGE },
        { "bad-module", EXIT_BENCHMARK },
        { "unsupported", EXIT_MACHINE },
        { "cancelled", EXIT_CANCELLED },
};

static int error_exit(const char *code) {
        for (size_t i = 0; i < N_ELEMENTS(error_exits); i++)
                if (strcmp(error_exits[i].code, code) == 0)
                        return error_exits[i].exit;
        return EXIT_DAEMON;
}

int complain_event(const benchd_event *event) {
        complain("%s", benchd_event_error_message(event));
        if (benchd_event_error_hint(event))
                hint("%s", benchd_event_error_hint(event));
        return error_exit(benchd_event_error_code(event));
}
