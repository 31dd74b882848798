/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/report.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void report_phase(BlockHead *head, RunnerPhase phase) {
        head->phase = phase;
}

void report_end(BlockHead *head, RunnerEnd end, const char *format, ...) {
        va_list arguments;

        if (head->end != RUNNER_END_NONE)
                return;
        va_start(arguments, format);
        vsnprintf(head->message, sizeof head->message, format, arguments);
        va_end(arguments);
        head->end = end;
}

static void (*report_leaver)(const BlockHead *head, void *argument);
static void *report_leaver_argument;

void report_on_leave(void (*leave)(const BlockHead *head, void *argument), void *argument) {
        report_leaver = leave;
        report_leaver_argument = argument;
}

void report_leave(const BlockHead *head) {
        if (report_leaver)
                report_leaver(head, report_leaver_argument);
        _exit(0);
}

bool report_name_is_valid(const char *name) {
        size_t n = strnlen(name, RUNNER_NAME_MAX);

        for (size_t i = 0; i < n; i++)
                if (!isalnum((unsigned char)name[i]) && !strchr("_.-+", name[i]))
                        return false;
        return n > 0 && n < RUNNER_NAME_MAX;
}

static void report_exit(int code, void *argument) {
        BlockHead *head = argument;

        if (head->end == RUNNER_END_NONE)
                head->code = code;
        report_end(head, RUNNER_END_EXIT, "%s", "");
}

void report_watch_exit(BlockHead *head) {
        on_exit(report_exit, head);
}
