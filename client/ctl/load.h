/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From what was typed to what the library takes: modules with their libraries, filters, variables. What is wrong with it
 * is said here.
 */

typedef struct Settings Settings;
typedef struct benchd_module benchd_module;

/* Checks that modules are named. Returns 0 or an exit code. */
int load_check(const Settings *settings);

/* Adds filters and variables to the settings' options, or one filter more. Return 0 or an exit code. */
int load_options(const Settings *settings);
int load_filter(const Settings *settings, const char *filter);

/* Reads the module at @path, and the libraries of --with before it. Returns 0 or an exit code. */
int load_module(const Settings *settings, const char *path, benchd_module **ret_module);
