/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A verb of the command line as data: its words, and its traits, which options and the rest of the program refer to.
 */

#include <stdbool.h>

typedef struct Settings Settings;

/* Traits of verbs: an option's row lists the traits of the verbs that take it. */
enum {
        VERB_DAEMON = 1u << 0,          /* asks a daemon, possibly on another machine */
        VERB_PRIVATE = 1u << 1,         /* a private daemon, which knows no earlier jobs, will do */
        VERB_PRIVATE_RESULTS = 1u << 2, /* reads the results of private daemons, and starts none */
        VERB_ANSWER = 1u << 3,          /* prints a document */
        VERB_RESULT = 1u << 4,          /* prints the result of a run */
        VERB_EARLIER_RESULT = 1u << 5,  /* prints the result of an earlier run */
        VERB_MEASURE = 1u << 6,         /* takes the options of a run */
        VERB_MODULE = 1u << 7,          /* sends a module that may be measured */
        VERB_TARGETS = 1u << 8,         /* may send several modules, one after the other */
        VERB_CODE = 1u << 9,            /* shows the code of one benchmark */
        VERB_RUN = 1u << 10,            /* only this verb; likewise below */
        VERB_COMPARE = 1u << 11,
        VERB_SOURCE = 1u << 12,
        VERB_DISASM = 1u << 13,
        VERB_DEBUG = 1u << 14,
        VERB_SHOW = 1u << 15,
        VERB_HISTORY = 1u << 16,
        VERB_GOVERNOR = 1u << 17,
        VERB_BRIDGE = 1u << 18,
        VERB_EXEC = 1u << 19,
        VERB_BISECT = 1u << 20,

        VERB_ANY = ~0u, /* of an option: every verb takes it, even one without traits */
};

typedef struct Verb {
        const char *name;
        const char *operands; /* the words after it, in the grammar of operands.h */
        const char *about;    /* a line, without a full stop */
        unsigned traits;
        unsigned answers;                     /* the kinds of documents that it prints, as SHOW_BIT()s */
        int (*run)(const Settings *settings); /* returns an exit code */
        const char *option;                   /* the option that the verb is an alias of; NULL: none */
        const char *takes;                    /* the operands in words, to follow "takes"; NULL: none */
        const char *example;                  /* a sentence on how to call it, for a usage error; NULL: none */
        const char *notes[2];                 /* paragraphs of the help text, up to the first NULL */
        const char *values;                   /* the words for an operand NAME, joined by |; NULL: no list */
} Verb;
