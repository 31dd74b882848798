/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Options of benchctl, one table row each: its own, and the library's options of a run. Parsing, help, completion and the manual walk the
 * rows. --cpus, --margin and --scale exist in the library too, but benchctl has its own rows for them, since verbs that do not run
 * benchmarks take them as well.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Verb Verb;

typedef enum CommandOptionKind {
        OPTION_FLAG,
        OPTION_TEXT,
        OPTION_LIST,   /* may be given several times */
        OPTION_OF_RUN, /* the library reads its value */
} CommandOptionKind;

typedef struct CommandOption {
        const char *name;
        char letter;        /* 0: none */
        const char *value;  /* its name in the help text, in brackets if optional; NULL: no value */
        const char *values; /* the allowed words, joined by |; NULL: not a list */
        CommandOptionKind kind;
        unsigned verbs; /* traits of the verbs that take it */
        size_t offset;  /* in Settings; unused for OPTION_OF_RUN */
        bool here;      /* run --here takes it too; other options need a daemon */
        const char *help;
        const char *section; /* of OPTIONS in the manual; NULL: the manual describes it with its command, or with the run's options */
        const char *text; /* for the manual, marked up as in scripts/fill-template */
} CommandOption;

/* The options by index, each name once; NULL past the last. */
const CommandOption *command_option_at(size_t index);

/* Finds an option by its name, or by its letter; NULL if there is none. */
const CommandOption *command_option_find(const char *name);
const CommandOption *command_option_find_letter(char letter);

/* True if the value is optional: it must follow an equals sign if given. */
bool command_option_may_lack_value(const CommandOption *option);
