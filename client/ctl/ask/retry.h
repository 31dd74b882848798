/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command line as typed, quoted for the shell, with the one change that makes it work. The caller frees it; NULL if no change helps.
 */

typedef struct Settings Settings;

/* The command with --private instead of --socket. */
char *retry_with_private(const Settings *settings);

/* The command with all arguments that are not files moved after "--", as filters. */
char *retry_with_filters(const Settings *settings);

/* The text " --private", to follow a verb, if there is no system daemon to connect to; else "". */
const char *retry_private_option(const Settings *settings);
