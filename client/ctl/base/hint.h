/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Hints that are commands, in words that a shell reads. Pure.
 */

#define HINT_WORD_MAX 512u

/* Quotes @word for the shell where it needs that. Returns @text. */
const char *hint_quote(const char *word, char text[static HINT_WORD_MAX]);

/* The sentence @hint, which is the caller's to free(), in which each command of benchctl's, which stands in quotes, has @options behind its verb: " --host=lab1". */
char *hint_with_options(const char *hint, const char *options);
