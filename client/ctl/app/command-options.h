/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Options of benchctl, a row each: its own, and the library's options of a run. Parsing, help, completion and the manual walk the rows.
 * --cpus, --margin and --scale are the library's too, but benchctl has rows of them, since other verbs than a run's take them.
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
        const char *value;  /* as the help text calls it, in brackets if it may be left out; NULL: none */
        const char *values; /* the words that it may be, joined by |; NULL: not a list */
        CommandOptionKind kind;
        unsigned verbs; /* that take it, by their traits */
        size_t offset;  /* in Settings; none of OPTION_OF_RUN */
        bool here;      /* run --here takes it too; any other needs a daemon */
        const char *help;
        const char *section; /* of OPTIONS in the manual; NULL: the manual describes it with its command, or with the run's options */
        const char *text; /* of the manual, marked as in scripts/fill-template */
} CommandOption;

/* The options by index, each name once; NULL past the last. */
const CommandOption *command_option_at(size_t index);

/* Finds an option by its name, or by its letter; NULL if there is none. */
const CommandOption *command_option_find(const char *name);
const CommandOption *command_option_find_letter(char letter);

/* True if its value may be left out: it then follows an equals sign or not at all. */
bool command_option_may_lack_value(const CommandOption *option);
