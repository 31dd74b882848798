/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Messages on stderr: a sentence on what is wrong, and one on what to do about it.
 */

typedef struct benchd_event benchd_event;

/* Prints "benchctl: " and the sentence of printf's @format. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Prints a hint below it. */
__attribute__((format(printf, 1, 2))) void complain_hint(const char *format, ...);

/* The same, with @options added to its commands by hint_with_options(); NULL: for the system's daemon. */
__attribute__((format(printf, 2, 3))) void complain_hint_to(const char *options, const char *format, ...);

/*
 * Prints the message, the last lines of the module's output and the hint of @event, a BENCHD_EVENT_ERROR from the daemon of @options.
 * Returns the exit code.
 */
int complain_event(const benchd_event *event, const char *options);

/* The same for one machine of several, with its name before the message. */
int complain_event_at(const char *machine, const benchd_event *event, const char *options);

/* Prints everything but the message. Returns the exit code. */
int complain_remedy(const benchd_event *event, const char *options);

/*
 * Prints why the file at @path cannot be written: @r is an outcome of file-draft.h or a negative errno. @kind of file: "the baseline ", or
 * empty. Returns the exit code.
 */
int complain_unwritten(const char *kind, const char *path, int r);

/* The exit code for the error @code, such as "no-match". */
int complain_exit(const char *code);
