/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's command line.
 */

#include <stdbool.h>
#include <sys/types.h>

enum {
        _OPTIONS_E_SUCCESS,

        OPTIONS_E_USAGE, /* the complaint is printed */
        OPTIONS_E_DONE,  /* --help or --version: everything is done */
};

typedef struct Options {
        const char *socket;
        mode_t socket_mode;
        bool with_front_end;
        bool until_eof;
        bool distrust_tsc;
        const char *root;       /* of the machine whose files are changed */
        const char *journal;    /* where that is noted; NULL: nothing is changed */
        char **front_arguments; /* what benchd is given; ends with NULL */
} Options;

/* Returns 0, E_USAGE, or E_DONE. */
int options_parse(int argc, char **argv, Options *ret_options);
