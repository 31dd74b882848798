/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What was typed, before anything is done about it: options into their fields by a table that also makes the help text.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SETTINGS_PROBLEM_MAX 256u

typedef struct Verb Verb;
typedef struct benchd_options benchd_options;

/* Arguments in the order in which they were typed; they stay argv's. */
typedef struct WordList {
        const char **words;
        size_t n;
} WordList;

typedef struct Settings {
        const Verb *verb;        /* NULL: none was named */
        benchd_options *options; /* of a run: filters and environment are not in it yet */
        WordList arguments;      /* after the verb */
        WordList filters;        /* after "--" */
        WordList with;
        WordList environment;
        const char *socket; /* NULL: the daemon's own place */
        const char *output; /* NULL: stdout */
        const char *format;
        bool private_daemon;
        bool quiet;
        bool no_color;
        bool help;
        bool version;
        char problem[SETTINGS_PROBLEM_MAX];
} Settings;

enum {
        _SETTINGS_E_SUCCESS,

        SETTINGS_E_USAGE, /* settings->problem says what is wrong, in a sentence */
};

/* Reads what follows the program's name in @argv, which ends with NULL. Returns 0, E_USAGE, or a negative errno. */
int settings_parse(Settings *settings, const char *const *argv);
void settings_clear(Settings *settings);

/* The help text of @verb, or of the program where it is NULL. */
void settings_print_help(const Verb *verb, FILE *out);
