/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/report.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPORT_CHILD_NS    20000000u
#define REPORT_CHILD_LOOKS 20u

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

/* The watched process: a child of the module has a copy of this. */
static struct {
        BlockHead *head; /* NULL: none is */
        pid_t pid;
} watched;

static void report_exit(int code, void *argument) {
        if (getpid() != watched.pid)
                return;
        if (watched.head->end == RUNNER_END_NONE)
                watched.head->code = code;
        report_end(watched.head, RUNNER_END_EXIT, "%s", "");
}

void report_watch_exit(BlockHead *head) {
        watched.head = head;
        watched.pid = getpid();
        on_exit(report_exit, NULL);
}

void report_abandon(RunnerEnd end) {
        if (!watched.head)
                _exit(1);
        report_end(watched.head, end, "%s", "");
        report_leave(watched.head);
}

void report_expel_child(void) {
        if (watched.head && getpid() != watched.pid)
                report_abandon(RUNNER_END_CHILD);
}

void report_await_children(void) {
        siginfo_t child;

        for (unsigned i = 0; i < REPORT_CHILD_LOOKS && waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0; i++)
                (void)nanosleep(&(struct timespec){ .tv_nsec = REPORT_CHILD_NS / REPORT_CHILD_LOOKS }, NULL);
}
