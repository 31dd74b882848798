/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Hints that are commands: the command line as typed, quoted for the shell, with the one change that makes it work. Each is the
 * caller's to free(), and NULL where no such command exists. Pure but for hint_with_filters() and
 * hint_private(), which look which files exist.
 */

#define HINT_WORD_MAX 512u

typedef struct Settings Settings;

/* Quotes @word for the shell where it needs that. Returns @text. */
const char *hint_quote(const char *word, char text[static HINT_WORD_MAX]);

/* The command with --private instead of --socket. */
char *hint_with_private(const Settings *settings);

/* The command with the arguments that are no files behind "--", as filters. */
char *hint_with_filters(const Settings *settings);

/* The sentence @hint, in which each command of benchctl's, which stands in quotes, has @options behind its verb: " --host=lab1". */
char *hint_with_options(const char *hint, const char *options);

/* The word " --private", to go behind a verb, where no system's daemon is there to connect to; else "". */
const char *hint_private(const Settings *settings);
