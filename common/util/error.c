/* SPDX-License-Identifier: MIT */
#include "util/error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ErrorSink error_sink = NULL;

void error_set_sink(ErrorSink sink) {
        error_sink = sink;
}

void error_print(int error, const char *file, int line, const char *function) {
        dprintf(STDERR_FILENO, "error %d (%s) in %s, %s:%d\n", -error, strerror(-error), function, file, line);
}

void error_note(int error, const char *file, int line, const char *function) {
        if (error_sink)
                error_sink(error, file, line, function);
}
