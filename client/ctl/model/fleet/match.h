/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rows of several results that are of one thing: the same side, area, name, arguments and threads, on the machines of one class.
 * Rows come in the order of the module, the new side of a comparison before the old.
 *
 * A machine that does not count is looked at for failures only: a benchmark that fails is not left out because its machine is.
 */

#include <stddef.h>

#include "ctl/model/fleet/members.h"

typedef struct json_t json_t;

typedef struct FleetRow {
        const json_t *first; /* the row of the first machine that has it: what it is called */
        size_t class_index;
        const json_t **rows;  /* one a member of the run, NULL where it has none or does not count */
        const json_t *failed; /* its failure on the first machine where it failed; NULL: it did not */
        const FleetMember *failed_on;
        const json_t **skips; /* one a member: why it skipped itself there; NULL: it did not */
        double order;         /* in the module */
        size_t place;         /* among the rows as they were found */
} FleetRow;

typedef struct FleetRows {
        FleetRow *rows;
        size_t n;
} FleetRows;

typedef enum FleetList {
        FLEET_BENCHMARKS,
        FLEET_COMPARISONS, /* fail where a side fails */
} FleetList;

/* True if the benchmark of @row failed, rather than was skipped or cancelled. */
bool fleet_row_failed(const json_t *row);

/* Matches the rows in @list of the machines of class @class_index. Returns 0 or a negative errno. */
int fleet_rows_match(const FleetMembers *members, size_t class_index, FleetList list, FleetRows *ret_rows);
void fleet_rows_clear(FleetRows *rows);
