/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/question.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool question_yes(const char *format, ...) {
        va_list arguments;
        char answer[16];

        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
                return false;
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputs("? [Y/n] ", stderr);
        if (!fgets(answer, sizeof answer, stdin)) {
                fputc('\n', stderr);
                return false;
        }
        return *answer == '\n' || *answer == 'y' || *answer == 'Y';
}
