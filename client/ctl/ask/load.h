/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Converts words of the command line to the library's objects: jobs, filters, variables, modules with their libraries.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/job-id.h"

#define LOAD_STDIN "-" /* the module is read from standard input */

typedef struct CompileLinks CompileLinks;
typedef struct ModuleParts ModuleParts;
typedef struct Settings Settings;
typedef struct benchd_module benchd_module;

enum {
        _LOAD_E_SUCCESS,

        LOAD_E_MALFORMED, /* not a job's id */
};

/*
 * Parses JOB, a job's id or a prefix of it, with or without a leading @, into the form that the daemon expects. Returns
 * 0 or E_MALFORMED.
 */
int load_job(const char *word, char ret_job[static JOB_ID_BYTES]);

/* The functions below print their own errors, and return 0 or an exit code. */

/* Checks, before a daemon is asked, that @path is a readable file that may be loadable. */
int load_check_file(const char *path);

/* The same for a module, which may also be a pipe (LOAD_STDIN, or its path), or several parts separated by commas. */
int load_check_module(const char *word);

/* Reads the file at @path as JSON. */
typedef struct json_t json_t;
int load_json(const char *path, json_t **ret_json);

/*
 * Does load_check_module(), then compiles source code with @links (NULL: linked once; compile.h), or reads a pipe into memory. The caller
 * frees @ret_path, the module's path. A module read from a pipe stays open until benchctl ends.
 */
int load_file(const char *word, const CompileLinks *links, char **ret_path);

/*
 * The same for the one module that @words name together, for example sources, objects and archives. The caller also frees @ret_name, the
 * module's name in results and messages.
 */
int load_words(const char *const *words, size_t n, char **ret_path, char **ret_name);

/* Checks, compiles and links @parts, which must all be sources, objects or archives. The caller frees @ret_path. */
int load_parts(const ModuleParts *parts, const CompileLinks *links, char **ret_path);

/* Add to the settings' options: filters and variables; variables only; one filter. */
int load_options(const Settings *settings);
int load_environment(const Settings *settings);
int load_filter(const Settings *settings, const char *filter);

/* Makes a module of the job @word, whose module the daemon keeps. */
int load_recall(const char *word, benchd_module **ret_module);

/* Reads the module at @path, with the name @name for results, and before it the libraries of --with and --preload. */
int load_module(const Settings *settings, const char *path, const char *name, benchd_module **ret_module);

/* ---- modules read from a pipe */

/* The name of the module @path in results and messages. */
const char *load_name(const char *path);

/* True if @path, from load_file(), is a file in memory that other programs cannot open. */
bool load_is_piped(const char *path);

/* Lets the program that replaces benchctl open @path, if it is in memory. */
void load_hand_on(const char *path);
