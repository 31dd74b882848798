/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command line as typed, quoted for the shell, with the one change that makes it work. It is the caller's to free(), and NULL where no
 * such command exists.
 */

typedef struct Settings Settings;

/* The command with --private instead of --socket. */
char *retry_with_private(const Settings *settings);

/* The command with the arguments that are no files behind "--", as filters. */
char *retry_with_filters(const Settings *settings);

/* The word " --private", to go behind a verb, where no system's daemon is there to connect to; else "". */
const char *retry_private_option(const Settings *settings);
