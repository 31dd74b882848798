/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * benchctl's own options: a row each, from which the command line is read and the help text made. Those of a run are the
 * library's: benchd_option_at().
 */

#include <stddef.h>

#include "ctl/verb.h"

typedef enum OptionKind {
        OPTION_LATER, /* named in the manual, not yet done */
        OPTION_FLAG,
        OPTION_TEXT,
        OPTION_LIST,
} OptionKind;

typedef struct Option {
        const char *name;
        char letter;
        const char *value; /* what it takes, as the help text writes it; NULL if it takes none */
        OptionKind kind;
        unsigned verbs;
        size_t offset; /* in Settings */
        const char *help;
} Option;

#define VERB_MEASURE (VERB_RUN | VERB_COMPARE)
#define VERB_MODULE  (VERB_MEASURE | VERB_LIST)
#define VERB_RESULT  (VERB_RUN | VERB_WAIT | VERB_SHOW)
#define VERB_JOB     (VERB_WAIT | VERB_SHOW | VERB_CANCEL | VERB_PIN)
#define VERB_PRIVATE (VERB_MODULE | VERB_STATUS) /* what a daemon can do that knows no earlier job */

/* NULL past the last. */
const Option *option_at(size_t index);

/* By the first @n_name bytes of @name; NULL if there is none. */
const Option *option_find(const char *name, size_t n_name);
const Option *option_find_letter(char letter);
