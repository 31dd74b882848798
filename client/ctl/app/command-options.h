/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Options of benchctl, one table row each: its own, and the library's options of a run. Parsing, help, completion and the manual walk the
 * rows. --cpus, --margin and --scale exist in the library too, but benchctl has its own rows for them, since verbs that do not run
 * benchmarks take them as well.
 *
 * A name may have several rows: --warmup is a time with run, and a number of runs with exec. The first one that a verb takes is the verb's.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Verb Verb;

typedef enum CommandOptionKind {
        OPTION_FLAG,
        OPTION_TEXT,
        OPTION_LIST,   /* may be given several times */
        OPTION_TUPLE,  /* the same; a value is several words, or one with commas between its parts */
        OPTION_OF_RUN, /* the library reads its value */
} CommandOptionKind;

typedef struct CommandOption {
        const char *name;
        char letter; /* 0: none */
        const char *value; /* its name in the help text, in brackets if optional; the names of a tuple's words; NULL: no value */
        const char *values; /* the allowed words, joined by |; NULL: not a list */
        CommandOptionKind kind;
        unsigned verbs; /* traits of the verbs that take it */
        size_t offset;  /* in Settings; unused for OPTION_OF_RUN */
        bool here;      /* run --here takes it too; other options need a daemon */
        const char *help;
        const char *section; /* of OPTIONS in the manual; NULL: the manual describes it with its command, or with the run's options */
        const char *text; /* for the manual, marked up as in scripts/fill-template */
} CommandOption;

/* The options by index; NULL past the last. */
const CommandOption *command_option_at(size_t index);

/* Finds the row of @verb with this name or letter; if the verb takes none, or is NULL, the first one. NULL: there is none. */
const CommandOption *command_option_find(const char *name, const Verb *verb);
const CommandOption *command_option_find_letter(char letter, const Verb *verb);

/* True if @option is the row of @verb for its name; with @verb NULL, if every verb that prints an answer takes it. */
bool command_option_is_of(const CommandOption *option, const Verb *verb);

/* True if the value is optional: it must follow an equals sign if given. */
bool command_option_may_lack_value(const CommandOption *option);

/* The number of words that a value has; 0 without a value. */
size_t command_option_words(const CommandOption *option);
