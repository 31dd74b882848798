/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Warnings of a run on several machines. Warnings about rows are noted row by row, and merged to one sentence per machine or class that
 * names the rows.
 */

#include <stddef.h>

#include "ctl/model/fleet/members.h"
#include "ctl/model/fleet/pooled.h"

typedef struct json_t json_t;

typedef enum FleetWarning {
        FLEET_WARNING_ODD_MACHINE,       /* of a machine */
        FLEET_WARNING_SKIPPED_ROW,       /* of a machine */
        FLEET_WARNING_MISSING_ROW,       /* of a machine */
        FLEET_WARNING_MACHINES_DIFFER,   /* of a class */
        FLEET_WARNING_NO_LOGARITHM,      /* of a class */
        FLEET_WARNING_CHANCE_AMONG_ROWS, /* of the run */
        FLEET_WARNING_UNDECIDABLE,       /* of the run */
        _FLEET_WARNING_N,
} FleetWarning;

typedef struct FleetWarnings {
        json_t *rows[_FLEET_WARNING_N]; /* by the name of the machine or class (or run), the paths of the rows */
        size_t n_rows;                  /* of the whole document */
} FleetWarnings;

int fleet_warnings_new(FleetWarnings *ret_noted);
void fleet_warnings_clear(FleetWarnings *noted);

/*
 * Notes a warning of @kind on @row, for the machine or the class called @whose ("": the run), with the reason @why unless NULL. Returns 0
 * or a negative errno.
 */
int fleet_warnings_note(FleetWarnings *noted, FleetWarning kind, const char *whose, const json_t *row, const char *why);

/* Writes all warnings as an array of { kind, text }: of machines and classes first, then the noted ones. Returns 0 or a negative errno. */
int fleet_warnings_write(const FleetWarnings *noted, const FleetMembers *members, const FleetPolicy *policy,
                json_t **ret_warnings);

/* "class 0123456789abcdef (AMD EPYC)". The caller frees it; NULL if memory ran out. */
char *fleet_class_words(const FleetClass *class);
