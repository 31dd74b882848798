/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Targets: the modules that the arguments of a verb stand for. A word that is the name of a file, or looks like one, is a module,
 * as is - for the one on standard input; any other is an area of the built-in module, which is one target with all its areas, where the
 * first of them stands. So are all sources, objects and archives, unless each word of them is to make a module of its own. Without arguments the built-in module is the only target. It has a name of its own too, which is all of it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/model/settings.h"

#define TARGET_BUILT_IN "suites" /* the built-in module's name in results */

typedef struct benchd_module benchd_module;

typedef struct Target {
        char *path;
        const char *name; /* in results; the argument, static, or the targets' */
        bool built_in;
} Target;

typedef struct Targets {
        Target *targets;
        size_t n;
        SettingsWords areas; /* of the built-in module; none: all of it */
        bool all_areas;      /* it was named itself */
        char *built_name;    /* of the module that is compiled and linked; NULL: there is none */
} Targets;

/* The functions below say what is wrong, and return 0 or an exit code. */

/* Finds the targets of the arguments, before a daemon is asked. */
int targets_find(const Settings *settings, Targets *ret_targets);
void targets_clear(Targets *targets);

/* Reads the module of @target, and the libraries of --with and --preload before it. */
int target_load(const Settings *settings, const Target *target, benchd_module **ret_module);

/* Makes the filters of the settings' options those of @target. */
int target_set_filters(const Settings *settings, const Targets *targets, const Target *target);

/*
 * The filters of @target: a list ended by NULL, one block, the caller's to free(). Returns 0 or a negative errno, and says nothing.
 */
int target_filters(const Settings *settings, const Targets *targets, const Target *target, char ***ret_filters);
