/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Verbs of the command line, one row each.
 */

#include <stddef.h>

typedef struct Settings Settings;

/* Verbs as bits, to say which of them take an option. */
enum {
        VERB_RUN = 1u << 0,
        VERB_LIST = 1u << 1,
        VERB_STATUS = 1u << 2,
        VERB_WAIT = 1u << 3,
        VERB_SHOW = 1u << 4,
        VERB_CANCEL = 1u << 5,
        VERB_HISTORY = 1u << 6,
        VERB_PIN = 1u << 7,
        VERB_COMPARE = 1u << 8,
        VERB_GOVERNOR = 1u << 9,
        VERB_HELP = 1u << 10,
        VERB_VERSION = 1u << 11,
        VERB_SOURCE = 1u << 12,
        VERB_DISASM = 1u << 13,
        VERB_NEW = 1u << 14,
        VERB_UNPACK = 1u << 15,
        VERB_EDIT = 1u << 16,
        VERB_DEBUG = 1u << 17,
        VERB_BRIDGE = 1u << 18,

        VERB_MEASURE = VERB_RUN | VERB_COMPARE,
        VERB_MODULE = VERB_MEASURE | VERB_LIST,
        VERB_CODE = VERB_SOURCE | VERB_DISASM, /* of one benchmark */
        VERB_RESULT = VERB_RUN | VERB_WAIT | VERB_SHOW,
        VERB_JOB = VERB_WAIT | VERB_SHOW | VERB_CANCEL | VERB_PIN,
        VERB_LATEST = VERB_WAIT | VERB_SHOW, /* of the verbs about a job, those that mean the latest without one */
        VERB_PRIVATE = VERB_MODULE | VERB_CODE | VERB_STATUS | VERB_BRIDGE, /* a new daemon knows no earlier job */
        VERB_PRIVATE_RESULTS = VERB_SHOW | VERB_HISTORY, /* they read what private daemons left, and start none */
        VERB_ANY = ~0u,
        VERB_ANSWER = VERB_ANY & ~(VERB_NEW | VERB_UNPACK | VERB_EDIT | VERB_DEBUG |
                                                 VERB_BRIDGE), /* the others print no document */
        VERB_DAEMON = VERB_MODULE | VERB_CODE | VERB_STATUS | VERB_JOB | VERB_HISTORY |
                      VERB_GOVERNOR, /* it may be another machine's */
};

typedef struct Verb {
        const char *name;
        const char *usage; /* the words behind the name */
        const char *about; /* a line, without a full stop */
        unsigned bit;
        int (*run)(const Settings *settings); /* returns an exit code */
        const char *values; /* words that it takes, joined by |, for a shell's completion; NULL: no list */
} Verb;

/* Returns NULL past the last. */
const Verb *verb_at(size_t index);

/* Returns NULL if no verb has that name. */
const Verb *verb_find(const char *name);

/* Finds the verb that @word names, or that alone begins with it. Returns NULL if there is none or several begin so. */
const Verb *verb_find_typed(const char *word);

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
int verb_help(const Settings *settings);
int verb_version(const Settings *settings);
