/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command line: verb, options and arguments in their fields (model/settings.h), before the verb runs. The options are in
 * command-options.h.
 */

#include "ctl/model/settings.h"

enum {
        _SETTINGS_E_SUCCESS,

        SETTINGS_E_USAGE, /* settings->problem says why, in a sentence without its full stop; ->hint, unless empty, what to do */
        SETTINGS_E_NO_VERB, /* no verb was given */
};

/* Reads @argv, which begins with the program's name and ends with NULL. Returns 0, SETTINGS_E_*, or a negative errno. */
int settings_parse(Settings *settings, const char *const *argv);
void settings_clear(Settings *settings);
