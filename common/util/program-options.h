/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options of a daemon's command line, a row each: parsing, --help and the manual walk the rows. --help and --version are every program's.
 */

#include <stddef.h>

enum {
        _PROGRAM_OPTIONS_E_SUCCESS,

        PROGRAM_OPTIONS_E_USAGE, /* the complaint is printed */
        PROGRAM_OPTIONS_E_DONE,  /* --help or --version: everything is done */
};

typedef struct ProgramOption {
        const char *name;
        const char *value; /* as the help calls it, in brackets if it may be left out; NULL: it takes none */
        size_t offset;     /* in the program's options, of a const char *; of a bool, where it takes no value */
        const char *(*take)(const char *value, void *field); /* in place of that; returns a complaint, or NULL */
        const char *text; /* of the manual, marked as in scripts/fill-template; --help has its first sentence, which has no marks */
} ProgramOption;

typedef struct ProgramOptions {
        const char *name; /* of the program */
        const char *head; /* of --help, before the options */
        const char *tail; /* ... and behind them */
        const ProgramOption *rows;
        size_t n;
} ProgramOptions;

/* Those of the daemon that this is linked into. */
extern const ProgramOptions program_options;

/* Reads the options into @options; the other words stand behind them then, from optind on. Returns 0, E_USAGE, or E_DONE. */
int program_options_parse(const ProgramOptions *program, int argc, char **argv, void *options);

/* Prints the complaint, and the way to the help. Returns E_USAGE. */
int program_options_refuse(const ProgramOptions *program, const char *format, ...)
                __attribute__((format(printf, 2, 3)));
