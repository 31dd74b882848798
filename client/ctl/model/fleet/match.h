/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Matches the rows of several results: equal side, area, name, arguments and threads, on the machines of one class. Rows come in the order
 * of the module, the new side of a comparison before the old side.
 *
 * A machine that does not count is searched for failures only: a failed benchmark must not be lost because its machine is left out.
 */

#include <stddef.h>

#include "ctl/model/fleet/members.h"

typedef struct json_t json_t;

typedef struct FleetRow {
        const json_t *first; /* the row of the first machine that has it, for its name */
        size_t class_index;
        const json_t **rows;  /* one per member of the run; NULL: none, or the member does not count */
        const json_t *failed; /* its row on the first machine where it failed; NULL: none */
        const FleetMember *failed_on;
        const json_t **skips; /* one per member: why it was skipped there; NULL: not skipped */
        double order;         /* in the module */
        size_t place;         /* the order in which rows were found */
} FleetRow;

typedef struct FleetRows {
        FleetRow *rows;
        size_t n;
} FleetRows;

typedef enum FleetList {
        FLEET_BENCHMARKS,
        FLEET_COMPARISONS, /* which fail if a side fails */
} FleetList;

/* True if the benchmark of @row failed, rather than was skipped or cancelled. */
bool fleet_row_failed(const json_t *row);

/* Matches the rows in @list of the machines of class @class_index. Returns 0 or a negative errno. */
int fleet_rows_match(const FleetMembers *members, size_t class_index, FleetList list, FleetRows *ret_rows);
void fleet_rows_clear(FleetRows *rows);
