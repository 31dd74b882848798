/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * benchd's command line.
 */

#include <stdbool.h>

#include "ops/call-filter.h"

typedef struct Options {
        const char *launch_path; /* of benchd-launch's socket; NULL: benchd-launch passed it as a descriptor */
        const char *config_path; /* never NULL */
        const char *state_path;  /* the state directory; NULL: none, and nothing outlives the daemon */
        bool config_is_named;    /* by the command line, and so must exist */
        bool alone;              /* serves one user */
        bool until_launch;       /* only a signal from its parent ends it */
        bool check_config;       /* only checks the configuration */
        CallFilterMode calls;
} Options;

/*
 * Reads the command line, and $STATE_DIRECTORY if no state directory is given. Returns 0, or an outcome of
 * program_options_parse().
 */
int options_parse(int argc, char **argv, Options *ret_options);
