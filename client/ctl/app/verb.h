/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Verbs of the command line, one row each.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Settings Settings;

/* Traits of verbs: an option's row says by them which verbs take it. */
enum {
        VERB_DAEMON = 1u << 0,          /* asks the daemon, which may be another machine's */
        VERB_PRIVATE = 1u << 1,         /* a daemon of its own, which knows no earlier job, serves as well */
        VERB_PRIVATE_RESULTS = 1u << 2, /* reads what private daemons left, and starts none */
        VERB_ANSWER = 1u << 3,          /* prints a document */
        VERB_RESULT = 1u << 4,          /* ... the result of a run */
        VERB_EARLIER_RESULT = 1u << 5,  /* ... which was measured before */
        VERB_MEASURE = 1u << 6,         /* takes the options of a run */
        VERB_MODULE = 1u << 7,          /* sends a module that may be measured */
        VERB_TARGETS = 1u << 8,         /* ... or several, one after the other */
        VERB_CODE = 1u << 9,            /* shows the code of one benchmark */
        VERB_RUN = 1u << 10,            /* this verb alone, as those below */
        VERB_COMPARE = 1u << 11,
        VERB_SOURCE = 1u << 12,
        VERB_DISASM = 1u << 13,
        VERB_DEBUG = 1u << 14,
        VERB_SHOW = 1u << 15,
        VERB_HISTORY = 1u << 16,
        VERB_GOVERNOR = 1u << 17,
        VERB_BRIDGE = 1u << 18,

        VERB_ANY = ~0u, /* of an option: every verb takes it, also one without traits */
};

typedef struct Verb {
        const char *name;
        const char *operands; /* the words behind it, by the grammar of operands.h */
        const char *about;    /* a line, without a full stop */
        unsigned traits;
        unsigned answers;                     /* the kinds of documents that it prints, as SHOW_BIT()s */
        int (*run)(const Settings *settings); /* returns an exit code */
        const char *option;                   /* the option that the verb stands for, as a word; NULL: it runs */
        const char *takes;                    /* the operands in words, behind "takes"; NULL: it has none */
        const char *example;                  /* a sentence on how to call it, for one who did not; NULL: none */
        const char *notes[2];                 /* paragraphs of the help text, up to the first NULL */
        const char *values;                   /* words that an operand NAME may be, joined by |; NULL: no list */
} Verb;

/* Returns NULL past the last. */
const Verb *verb_at(size_t index);

/* Returns NULL if no verb has that name. */
const Verb *verb_find(const char *name);

/* Finds the verb that @word names, or that alone begins with it. Returns NULL if there is none or several begin so. */
const Verb *verb_find_typed(const char *word);

/* True if @verb takes an option for verbs with one of @traits; NULL: if every verb that answers does. */
bool verb_takes(const Verb *verb, unsigned traits);

int verb_run(const Settings *settings);
int verb_compare(const Settings *settings);
int verb_list(const Settings *settings);
int verb_source(const Settings *settings);
int verb_disasm(const Settings *settings);
int verb_new(const Settings *settings);
int verb_unpack(const Settings *settings);
int verb_edit(const Settings *settings);
int verb_debug(const Settings *settings);
int verb_status(const Settings *settings);
int verb_wait(const Settings *settings);
int verb_show(const Settings *settings);
int verb_cancel(const Settings *settings);
int verb_history(const Settings *settings);
int verb_pin(const Settings *settings);
int verb_unpin(const Settings *settings);
int verb_set_governor(const Settings *settings);
int verb_bridge(const Settings *settings);
