/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commit that the result of a module tells: that of --commit or BENCHD_COMMIT; else, for a module that benchctl compiles, that which git
 * has checked out where its first source is. A finished module may be older than the tree around it, so git is not asked for it.
 */

#include <stdbool.h>

typedef struct GitCommit GitCommit;
typedef struct Settings Settings;
typedef struct benchd_module benchd_module;

/* Functions return 0, or an exit code after printing the error. */

/* Tells @module, which @name (its sources, joined by commas) names. @is_old: the old side of a comparison, which only git tells. */
int told_commit_set(const Settings *settings, const char *name, bool is_old, benchd_module *module);

/* Tells that @module is of @commit. */
int told_commit_set_to(const GitCommit *commit, bool dirty, benchd_module *module);
