/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's command line.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "ops/call-filter.h"

typedef struct Options {
        const char *socket;
        mode_t socket_mode;
        bool with_front_end;
        bool until_eof;
        bool distrust_tsc;
        bool without_probes;
        bool restore;        /* and nothing else */
        bool require_cpuset; /* for SCHED_FIFO */
        const char *journal; /* NULL: the default path */
        const char *key;     /* of vouchers; NULL: the default path */
        CallFilterMode calls;
        const char *root;       /* of the machine that is read and switched; NULL: this one */
        char **front_arguments; /* passed on to benchd; ends with NULL */
} Options;

/* Returns 0, or an outcome of program_options_parse(). */
int options_parse(int argc, char **argv, Options *ret_options);
