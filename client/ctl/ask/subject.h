/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmark that 'source' and 'disasm' show: from a module file, an earlier job's module, or the built-in module. Each function prints
 * its own errors, and returns 0 or an exit code.
 */

#include <stdint.h>

#include "ctl/ask/load.h"
#include "ctl/base/job-id.h"

typedef struct Connection Connection;
typedef struct Settings Settings;
typedef struct SourcePlaces SourcePlaces;
typedef struct benchd_module benchd_module;
typedef struct json_t json_t;

typedef struct Subject {
        const char *module_name; /* as typed, or owned_name */
        const char *path;        /* NULL: no file */
        const char *benchmark;   /* NULL: the only one of its module */
        char job[JOB_ID_BYTES];  /* empty: not of an earlier job */
        benchd_module *module;
        SourcePlaces *places; /* where its sources may be */
        char *owned_path;
        char *owned_name;
} Subject;

/* Checks the arguments, [MODULE|@JOB] BENCHMARK, before a daemon is asked. MODULE may be several sources. */
int subject_check(const Settings *settings);

/* Reads the module that the arguments name. */
int subject_load(const Settings *settings, Subject *ret_subject);
void subject_clear(Subject *subject);

/* Asks the daemon for @parts (BENCHD_INSPECT_*) of the benchmark, and reads its sources. */
/* Prints that the file @path in the subject's debug information was not opened. */
void subject_complain_outside(const Subject *subject, const char *path);

int subject_inspect(const Subject *subject, Connection *connection, unsigned parts, json_t **ret_inspection);
