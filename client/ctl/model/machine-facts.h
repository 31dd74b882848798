/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Facts on the machine of a result or a status, and on the run, one table row each. The status, the HTML page of a result, and the
 * conditions of a baseline walk them.
 */

#include <stddef.h>
#include <stdio.h>

#include "words/condition.h"

typedef struct json_t json_t;

typedef enum MachineFactUse {
        FACT_ON_PAGE = 1u << 0,
        FACT_IS_LONG = 1u << 1,   /* gets a separate line of the page, below the others */
        FACT_IN_STATUS = 1u << 2, /* of a daemon */
} MachineFactUse;

typedef struct MachineFact {
        const char *title; /* NULL: only a condition */
        ConditionKind condition;
        void (*print)(const json_t *json, const char *path, FILE *out); /* prints its value, or nothing */
        const char *path;
        unsigned uses; /* MachineFactUse */
} MachineFact;

/* The facts by index; NULL past the last. */
const MachineFact *machine_fact_at(size_t index);

/* The text of @fact, "" if there is none; the caller frees it. NULL if memory ran out. */
char *machine_fact_text(const MachineFact *fact, const json_t *json);
