/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command that shows a crash in a debugger, to be typed as it stands: run --here with the module as it was named, the options
 * that decide what is loaded, and the benchmark.
 */

typedef struct Settings Settings;
typedef struct benchd_event benchd_event;
typedef struct json_t json_t;

/* Prints it for the first benchmark of @result, of the module at @path, that crashed; nothing if none did. */
void here_hint_result(const Settings *settings, const char *path, const json_t *result);

/* Prints it if @event, a BENCHD_EVENT_ERROR, says that the module at @path ended its process while it was loaded. */
void here_hint_error(const Settings *settings, const char *path, const benchd_event *event);
