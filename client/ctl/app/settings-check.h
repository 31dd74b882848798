/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Checks options and arguments against each other and the verb, once all are read, and derives settings from them: the format, the host,
 * the samples to keep.
 */

typedef struct Settings Settings;

/* Returns 0, SETTINGS_E_USAGE, or a negative errno. */
int settings_check(Settings *settings);

/* Puts a sentence without its full stop into settings->problem. Returns SETTINGS_E_USAGE. */
__attribute__((format(printf, 2, 3))) int settings_refuse(Settings *settings, const char *format, ...);

/*
 * Sets an option of the run, and refuses a value that the library refuses. Returns 0, SETTINGS_E_USAGE, or a negative
 * errno.
 */
int settings_set_of_run(Settings *settings, const char *name, const char *value);

/* Puts the remedy into settings->hint. */
__attribute__((format(printf, 2, 3))) void settings_hint(Settings *settings, const char *format, ...);
