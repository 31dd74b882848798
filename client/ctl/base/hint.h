/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Hints with commands, quoted for a shell. Pure.
 */

#define HINT_WORD_MAX 512u

/* Quotes @word for the shell, if needed. Returns @text. */
const char *hint_quote(const char *word, char text[static HINT_WORD_MAX]);

/* Copies the sentence @hint, adding @options (" --host=lab1") after the verb of each quoted benchctl command; the caller frees it. */
char *hint_with_options(const char *hint, const char *options);
