/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * benchd's command line.
 */

#include <stdbool.h>

#include "ops/call-filter.h"

typedef struct Options {
        const char *launch_path; /* of benchd-launch's socket; NULL: one was passed */
        const char *config_path; /* never NULL */
        const char *state_path;  /* of the state directory; NULL: none, and nothing outlives the daemon */
        bool config_is_named;    /* and must be there */
        bool alone;              /* one user is served */
        bool until_launch;       /* no signal ends it but its parent's */
        bool check_config;       /* and nothing else */
        CallFilterMode calls;
} Options;

/* Reads the command line, and $STATE_DIRECTORY where it names no state directory. Returns 0, or an
 * outcome of program_options_parse(). */
int options_parse(int argc, char **argv, Options *ret_options);
