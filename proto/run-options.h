/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options of a run, a row each. The library parses by them, the daemon refuses by them, and the help, the completion, the manual and the part of
 * a runner's plan that a request fills in are made from them. A table of data alone: it knows fields of RunRequest by their names, so that
 * it needs no protobuf (proto/run-request.h does).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_OPTIONS_MAX      64u
#define RUN_OPTION_RANGE_MAX 64u

typedef enum RunOptionKind {
        RUN_OPTION_FLAG,
        RUN_OPTION_COUNT,    /* a whole number */
        RUN_OPTION_BYTES,    /* a number of bytes, with a suffix or not */
        RUN_OPTION_DURATION, /* a number, with decimals, in the row's unit; the field is in ns */
        RUN_OPTION_PERCENT,  /* a number in percent, with or without the sign; the field is a fraction */
        RUN_OPTION_CPUS,     /* a list of CPUs; only one option has this kind */
        RUN_OPTION_WORD,     /* any word: the daemon knows which are valid; none where the value may be left out */
        RUN_OPTION_CHOICE,   /* one of the row's words; the field is the index of the word */
        RUN_OPTION_PATH, /* of a directory; the field is absolute, below the working directory where the value is not */
        RUN_OPTION_PATHS, /* of a file or directory, in a list; as above, and without '.', '..' and needless slashes */
} RunOptionKind;

typedef struct RunOption {
        const char *name;  /* without its dashes */
        const char *value; /* as the help text calls it, in brackets if it may be left out; NULL: none */
        const char *words; /* that the value may be, joined by |; NULL: it is not a list of words */
        const char *field; /* of RunRequest */
        RunOptionKind kind;
        uint64_t unit_ns; /* a duration's */
        double least;     /* of a number, in the unit in which it is typed */
        double most;
        bool own; /* no method takes it but benchd's own, and those whose rows name it */
        const char *departs; /* the word by which a result's method tells it, a number with its value unless that is the least; NULL: it does not */
        bool runner; /* it is in the runner's plan: a flag as RUNNER_OPTION_FIELD, a number as a field of RunnerAsked, 0 where it is not given */
        bool here;   /* run --here takes it too: a number reaches its runner, any other is as it is there anyway */
        const char *help; /* a line */
        const char *text; /* of the manual, in the marks of man/markup.py; {range} stands for the numbers that it takes */
} RunOption;

/* The options by index, those used most first; NULL past the last. */
const RunOption *run_option_at(size_t index);

/* Returns NULL if there is none of that name. */
const RunOption *run_option_find(const char *name);

/* True if its values are numbers, from the least to the most. */
bool run_option_is_number(const RunOption *option);

/* The bounds of a number as its field has them, but for a percentage. */
uint64_t run_option_field_least(const RunOption *option);
uint64_t run_option_field_most(const RunOption *option);

/* Writes the bounds of a number as they are typed: "1 to 1000", "1M to 64G". Returns @text. */
const char *run_option_range(const RunOption *option, char text[static RUN_OPTION_RANGE_MAX]);
