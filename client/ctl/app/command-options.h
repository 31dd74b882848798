/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Options of benchctl, a row each: its own, and those of a run, which are the library's. Parsing, help, completion and the manual walk the
 * rows.
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
        size_t offset;  /* in Settings, but of a run's */
        bool here;      /* run --here takes it too; any other needs a daemon */
        const char *help;
        const char *section; /* of OPTIONS of the manual; NULL: it is told where its command is, or with another row of its name */
        const char *text; /* of the manual, marked as in scripts/fill-template */
} CommandOption;

/* The options by index; NULL past the last. A name may be there twice, for different verbs. */
const CommandOption *command_option_at(size_t index);

/* Finds the option @name of @verb (NULL: not known yet), else the first of that name; NULL if there is none. */
const CommandOption *command_option_find(const char *name, const Verb *verb);

/* ... and that of a letter. */
const CommandOption *command_option_find_letter(char letter);

/* The verbs that take an option @name, of whichever row. */
unsigned command_option_verbs(const char *name);

/* True if an option @name is one of a run, perhaps of a verb's alone. */
bool command_option_is_of_run(const char *name);

/* True if it takes a value that may be left out: it then follows an equals sign or not at all. */
bool command_option_may_lack_value(const CommandOption *option);
