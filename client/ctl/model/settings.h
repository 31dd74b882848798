/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command line: verb, options and arguments in their fields, before the verb runs. The options are in command-options.h.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/job-id.h"
#include "ctl/model/exec-settings.h"
#include "ctl/model/fail-on.h"
#include "ctl/model/view.h"

#define SETTINGS_PROBLEM_MAX 512u

typedef struct Verb Verb;
typedef struct benchd_options benchd_options;
typedef struct benchd_query benchd_query;

/* An option as typed; borrowed from argv, or static. */
typedef struct SettingsOption {
        const char *name;
        const char *value; /* NULL: no value */
} SettingsOption;

typedef struct Settings {
        const char *const *typed; /* all words, ended by NULL */
        const char *verb_typed;   /* the word that names the verb */
        const Verb *verb;         /* NULL: none was given */
        benchd_options *options;  /* of a run, still without filters and environment */
        benchd_query *query;      /* of a history, still empty */
        SettingsWords arguments;  /* after the verb */
        SettingsWords filters;    /* after "--" */
        SettingsWords with;
        SettingsWords preload;
        SettingsWords environment;
        SettingsWords inputs;
        SettingsWords source_directories;
        const char *socket;       /* NULL: the default socket */
        const char *host;         /* other machines, as typed or in BENCHCTL_HOST; NULL: this one */
        const char *host_source;  /* "--host" or "BENCHCTL_HOST" */
        const char *rsh;          /* in place of ssh; NULL: ssh */
        bool several_hosts;       /* a list of machines was given, even if it has only one */
        const char *min_machines; /* as typed; NULL: the default */
        const char *links;        /* as typed; NULL: the default */
        const char *output;       /* NULL: stdout */
        const char *raw;          /* a file for every sample; NULL: none */
        const char *format;
        const char *headline;      /* "median" or "mean" */
        const char *unit;          /* of all times, as typed or in BENCHCTL_UNIT; NULL: each in its own */
        const char *scale;         /* a benchmark's name; empty: the run's reference; NULL: as the run has it */
        const char *git;           /* the commits to compare; NULL: files are */
        const char *searched;      /* a command whose time a search is for; NULL: a module's */
        SettingsWords builds;      /* commands that build what is compared */
        const char *commit;        /* of the module; NULL: by the environment or git */
        const char *baseline;      /* a file to read; NULL: none */
        const char *save_baseline; /* a file to write; NULL: none */
        const char *bisect;        /* "slower" or "faster", which is bad to git bisect; empty: the former; NULL: none */
        const char *margin;        /* in percent, as typed, for a baseline or a history; NULL: the default */
        const char *columns;       /* comma-separated names; NULL: as many as fit */
        const char *sort_by;       /* as typed */
        ViewSort sort;
        SettingsWords fail_on_typed;
        FailOn fail_on;     /* its conditions together, for fail_on_judge() */
        const char *module; /* a glob, for a history; NULL: all */
        const char *since;  /* as typed, for a history; NULL: no limit */
        const char *state;
        const char *limit;
        char job[JOB_ID_BYTES]; /* for verbs on one job, the only argument; empty: the latest */
        const char *cpus;       /* as typed; NULL: all */
        ExecSettings exec;
        bool restore;      /* the governor */
        bool restart;      /* a search, without what an earlier call found */
        bool separate;     /* each source is a separate module */
        bool all;          /* of a source file */
        bool brief;        /* JSON of few fields */
        bool static_limit; /* beside the measured cycles */
        bool explain;      /* a comparison, by the machine code */
        bool all_users;
        bool private_daemon;
        bool here;
        bool plot; /* below a table */
        bool open; /* in a browser */
        bool quiet;
        bool no_color;
        bool help;
        bool version;
        SettingsOption *given; /* all options, in their order */
        size_t n_given;
        SettingsWords joined; /* values of several words, made of them; owned */
        char problem[SETTINGS_PROBLEM_MAX];
        char hint[SETTINGS_PROBLEM_MAX]; /* the remedy; empty: refer to the help text */
} Settings;

/* The value of the option @name as last typed; empty: it has none; NULL: it was not given. */
const char *settings_given(const Settings *settings, const char *name);
