/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options of a daemon's command line, one table row each: parsing, --help and the manual walk the rows. Every program has --help and
 * --version.
 */

#include <stddef.h>

enum {
        _PROGRAM_OPTIONS_E_SUCCESS,

        PROGRAM_OPTIONS_E_USAGE, /* the error was printed */
        PROGRAM_OPTIONS_E_DONE,  /* --help or --version: everything is done */
};

typedef struct ProgramOption {
        const char *name;
        const char *value; /* its name in the help, in brackets if optional; NULL: no value */
        size_t offset;     /* in the program's options, of a const char *, or of a bool if it takes no value */
        const char *(*take)(const char *value, void *field); /* used instead; returns an error message, or NULL */
        const char *text; /* for the manual, marked up as in scripts/fill-template; --help prints the first sentence, which must have no markup */
} ProgramOption;

typedef struct ProgramOptions {
        const char *name; /* of the program */
        const char *head; /* of --help, before the options */
        const char *tail; /* of --help, after the options */
        const ProgramOption *rows;
        size_t n;
} ProgramOptions;

/* The options of the daemon that links this. */
extern const ProgramOptions program_options;

/* Reads the options into @options, and moves the other words behind them, from optind on. Returns 0, E_USAGE, or E_DONE. */
int program_options_parse(const ProgramOptions *program, int argc, char **argv, void *options);

/* Prints the error, and how to get help. Returns E_USAGE. */
int program_options_refuse(const ProgramOptions *program, const char *format, ...)
                __attribute__((format(printf, 2, 3)));
