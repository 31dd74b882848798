/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What was typed, before anything is done about it: options into their fields by the table of option.h.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/job-name.h"

#define SETTINGS_PROBLEM_MAX 256u

typedef struct Verb Verb;
typedef struct benchd_options benchd_options;
typedef struct benchd_query benchd_query;

/* Arguments in the order in which they were typed; they stay argv's. */
typedef struct WordList {
        const char **words;
        size_t n;
} WordList;

typedef struct Settings {
        const Verb *verb;        /* NULL: none was named */
        benchd_options *options; /* of a run: filters and environment are not in it yet */
        benchd_query *query;     /* of a history: what was typed is not in it yet */
        WordList arguments;      /* after the verb */
        WordList filters;        /* after "--" */
        WordList with;
        WordList environment;
        const char *socket; /* NULL: the daemon's own place */
        const char *output; /* NULL: stdout */
        const char *format;
        const char *scale;   /* a benchmark's name; NULL: as measured */
        const char *fail_on; /* of a comparison, as typed; NULL: not */
        const char *since;   /* of a history, as typed; NULL: not */
        const char *state;
        const char *limit;
        char job[JOB_NAME_BYTES]; /* for verbs about one; the only argument */
        bool all_users;
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
