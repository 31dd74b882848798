/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Facts of the machine of a result or a status, and of the run, a row each: the status, the page of a result, and the conditions of a
 * baseline walk them.
 */

#include <stddef.h>
#include <stdio.h>

#include "words/condition.h"

typedef struct json_t json_t;

typedef enum MachineFactUse {
        FACT_ON_PAGE = 1u << 0,
        FACT_IS_LONG = 1u << 1,   /* has a line of the page of its own, below the others */
        FACT_IN_STATUS = 1u << 2, /* of a daemon */
} MachineFactUse;

typedef struct MachineFact {
        const char *title; /* NULL: it is a condition alone */
        ConditionKind condition;
        void (*print)(const json_t *json, const char *path, FILE *out); /* its value, or nothing */
        const char *path;
        unsigned uses; /* MachineFactUse */
} MachineFact;

/* By index; NULL past the last. */
const MachineFact *machine_fact_at(size_t index);

/* Writes the text of @fact, which is the caller's and "" where there is none. Returns NULL if memory ran out. */
char *machine_fact_text(const MachineFact *fact, const json_t *json);
