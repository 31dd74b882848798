/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command that shows a crash in a debugger, ready to paste: run --here with the module as typed, the options that affect loading, and
 * the benchmark.
 */

typedef struct Settings Settings;
typedef struct benchd_event benchd_event;
typedef struct json_t json_t;

/* Prints the command for the first crashed benchmark of @result, of the module at @path; nothing if none crashed. */
void here_hint_result(const Settings *settings, const char *path, const json_t *result);

/* Prints the command if @event, a BENCHD_EVENT_ERROR, says that loading the module at @path ended the process. */
void here_hint_error(const Settings *settings, const char *path, const benchd_event *event);
