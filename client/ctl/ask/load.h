/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Words of the command line turned into the library's objects: jobs, filters, variables, modules with their libraries.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/job-id.h"

#define LOAD_STDIN "-" /* the module that comes through standard input */

typedef struct ModuleParts ModuleParts;
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
int load_job(const char *word, char ret_job[static JOB_ID_BYTES]);

/* The functions below say what is wrong, and return 0 or an exit code. */

/* Checks that @path is a file that can be read and perhaps loaded, before a daemon is asked. */
int load_check_file(const char *path);

/* The same of a module, which may also come through a pipe: LOAD_STDIN, or the path of one; or be several parts, with commas between. */
int load_check_module(const char *word);

/* Reads the file at @path as JSON. */
typedef struct json_t json_t;
int load_json(const char *path, json_t **ret_json);

/*
 * As load_check_module(), and compiles source code, and reads a pipe into memory. The caller frees @ret_path, that of the module; what came
 * through a pipe is open until benchctl ends.
 */
int load_file(const char *word, char **ret_path);

/*
 * The same of one module that @words name, as sources, objects and archives may do together. The caller frees @ret_name too, which the
 * module has in results and in words.
 */
int load_words(const char *const *words, size_t n, char **ret_path, char **ret_name);

/* Checks, compiles and links @parts, all of which are built. The caller frees @ret_path. */
int load_parts(const ModuleParts *parts, char **ret_path);

/* Adds filters and variables, variables alone, or one filter, to the settings' options. */
int load_options(const Settings *settings);
int load_environment(const Settings *settings);
int load_filter(const Settings *settings, const char *filter);

/* Takes the module that the job @word measured, which the daemon keeps. */
int load_recall(const char *word, benchd_module **ret_module);

/* Reads the module at @path, which results name @name, and the libraries of --with and --preload before it. */
int load_module(const Settings *settings, const char *path, const char *name, benchd_module **ret_module);

/* ---- modules that came through a pipe */

/* The name of the module @path in results and in words. */
const char *load_name(const char *path);

/* True of a path by load_file() that no other program knows. */
bool load_is_piped(const char *path);

/* Lets the program that is executed in benchctl's place open @path, if it is one. */
void load_hand_on(const char *path);
