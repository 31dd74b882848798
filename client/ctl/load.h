/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Words of the command line turned into the library's objects: jobs, filters, variables, modules with their libraries.
 */

#define LOAD_JOB_MIN   4u
#define LOAD_JOB_MAX   32u
#define LOAD_JOB_BYTES (LOAD_JOB_MAX + 1u)

typedef struct Settings Settings;
typedef struct benchd_module benchd_module;

enum {
        _LOAD_E_SUCCESS,

        LOAD_E_MALFORMED, /* not a job's id */
};

/*
 * Reads JOB, the daemon's id or a beginning of it, with or without a leading @, into the form that the daemon takes.
 * Returns 0 or E_MALFORMED.
 */
int load_job(const char *word, char ret_job[static LOAD_JOB_BYTES]);

/* The functions below say what is wrong, and return 0 or an exit code. */

/* Checks that @path is a file that can be read and perhaps loaded, before a daemon is asked. */
int load_check_file(const char *path);

/* Reads the file at @path as JSON. */
typedef struct json_t json_t;
int load_json(const char *path, json_t **ret_json);

/*
 * As load_check_file(), and compiles source code. The caller frees @ret_path, that of the module.
 */
int load_file(const char *path, char **ret_path);

/* Adds filters and variables, variables alone, or one filter, to the settings' options. */
int load_options(const Settings *settings);
int load_environment(const Settings *settings);
int load_filter(const Settings *settings, const char *filter);

/* Takes the module that the job @word measured, which the daemon keeps. */
int load_recall(const char *word, benchd_module **ret_module);

/* Reads the module at @path, and the libraries of --with before it. */
int load_module(const Settings *settings, const char *path, benchd_module **ret_module);
