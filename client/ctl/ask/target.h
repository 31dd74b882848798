/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Targets: the modules that the arguments of a verb name. A word that names a file, or looks like a file name, is a module; "-" is the
 * module on standard input. Any other word is an area of the built-in module; all areas together are one target, at the position of the
 * first. All sources, objects and archives together are also one target, unless each is to become a separate module. Without arguments, the
 * built-in module is the only target; its own name means all of it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/model/settings.h"

#define TARGET_BUILT_IN "suites" /* the built-in module's name in results */

typedef struct benchd_module benchd_module;

typedef struct Target {
        char *path;
        const char *name; /* in results; borrowed from the argument or the targets, or static */
        bool built_in;
} Target;

typedef struct Targets {
        Target *targets;
        size_t n;
        SettingsWords areas; /* of the built-in module; empty: all of it */
        bool all_areas;      /* the built-in module was named itself */
        char *built_name;    /* the name of the module to compile and link; NULL: none */
} Targets;

/* The functions below print their own errors, and return 0 or an exit code. */

/* Finds the targets of the arguments, before a daemon is asked. */
int targets_find(const Settings *settings, Targets *ret_targets);
void targets_clear(Targets *targets);

/* Reads the module of @target, and before it the libraries of --with and --preload. */
int target_load(const Settings *settings, const Target *target, benchd_module **ret_module);

/* Sets the filters of @target in the settings' options. */
int target_set_filters(const Settings *settings, const Targets *targets, const Target *target);

/* The filters of @target: a list ended by NULL, one block, which the caller frees. Returns 0 or a negative errno, and prints nothing. */
int target_filters(const Settings *settings, const Targets *targets, const Target *target, char ***ret_filters);
