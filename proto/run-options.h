/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options of a run, one table row each. The library parses with them, the daemon validates with them, and the help, the completion, the
 * manual and part of a runner's plan are made from them. The table is plain data: it refers to fields of RunRequest by name, so that it
 * needs no protobuf (proto/run-request.h does).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_OPTIONS_MAX      64u
#define RUN_OPTION_RANGE_MAX 64u

typedef enum RunOptionKind {
        RUN_OPTION_FLAG,
        RUN_OPTION_COUNT,    /* a whole number */
        RUN_OPTION_BYTES,    /* a number of bytes, with an optional suffix */
        RUN_OPTION_DURATION, /* a number, with decimals, in the row's unit; the field is in ns */
        RUN_OPTION_PERCENT,  /* a number in percent, with or without the sign; the field is a fraction */
        RUN_OPTION_CPUS,     /* a list of CPUs; only one option has this kind */
        RUN_OPTION_WORD,     /* any word: the daemon knows the valid ones; none if the value is optional */
        RUN_OPTION_CHOICE,   /* one of the row's words; the field is the index of the word */
        RUN_OPTION_PATH,     /* of a directory; a relative value becomes absolute, below the working directory */
        RUN_OPTION_PATHS, /* of a file or directory, in a list; as above, and normalised: without '.', '..' and extra slashes */
} RunOptionKind;

typedef struct RunOption {
        const char *name;  /* without its dashes */
        const char *value; /* its name in the help text, in brackets if optional; NULL: no value */
        const char *words; /* the allowed words, joined by |; NULL: not a list of words */
        const char *field; /* of RunRequest */
        RunOptionKind kind;
        uint64_t unit_ns; /* a duration's */
        double least;     /* of a number, in the unit of the command line */
        double most;
        bool own;            /* supported only by benchd's own method, and by methods whose rows name it */
        const char *departs; /* its word in a result's method, with the value of a number above the least; NULL: not shown there */
        bool runner; /* it is in the runner's plan: a flag as RUNNER_OPTION_FIELD, a number as a field of RunnerAsked, 0 if not given */
        bool here;        /* run --here accepts it: a number is passed to its runner, any other is the default there */
        const char *help; /* a line */
        const char *text; /* for the manual, marked up for man/markup.py; {range} stands for the allowed numbers */
} RunOption;

/* The options by index, the most used first; NULL past the last. */
const RunOption *run_option_at(size_t index);

/* Finds an option by name; NULL if there is none. */
const RunOption *run_option_find(const char *name);

/* True if its values are numbers between `least` and `most`. */
bool run_option_is_number(const RunOption *option);

/* The bounds of a number in the unit of its field; not for a percentage. */
uint64_t run_option_field_least(const RunOption *option);
uint64_t run_option_field_most(const RunOption *option);

/* Writes the bounds of a number in the unit of the command line: "1 to 1000", "1M to 64G". Returns @text. */
const char *run_option_range(const RunOption *option, char text[static RUN_OPTION_RANGE_MAX]);
