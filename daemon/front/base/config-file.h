/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The configuration as it stands in files: FILE, then each of FILE.d/ that ends in .conf, in the order of their names; the
 * later line wins.
 *
 * Nothing is passed over. A line that is not understood may have meant anything, so the daemon does not start with it;
 * a value out of its option's range is left out, for what it wanted is clear and cannot be had. Either is a problem
 * with file, line, and what to do.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/config.h"
#include "util/cleanup.h"

#define CONFIG_FILE_PATH "/etc/benchd/benchd.conf"

/* A line that could not be taken as it stands: "FILE:LINE: what is wrong: what to do", without control characters. */
typedef struct ConfigProblem {
        char *text;
        bool fatal;
} ConfigProblem;

typedef struct ConfigFile {
        Config config;
        char **origins; /* "FILE:LINE" of each option, in the table's order; NULL: its default */
        ConfigProblem *problems;
        size_t n_problems;
} ConfigFile;

/*
 * Reads the configuration at @path. A @required file that is not there is a problem; another one is as good as empty.
 * Returns 0, whatever the problems, or a negative errno.
 */
int config_file_read(const char *path, bool required, ConfigFile **ret_file);
ConfigFile *config_file_free(ConfigFile *file);

DEFINE_CLEANUP(ConfigFile *, config_file_free)

/* Whether the daemon may not start with it. */
bool config_file_is_fatal(const ConfigFile *file);

/*
 * Writes what `benchd --check-config` tells: each option with its value and where that comes from, on stdout and as a
 * file that could be read again; or each problem, on stderr. Returns the exit status, 0 or 1.
 */
int config_file_check(const ConfigFile *file);
