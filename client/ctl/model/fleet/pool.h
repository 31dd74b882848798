/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A run on several machines as one document: each machine's result unchanged, and beside them a number over the machines for each
 * benchmark and each comparison, its interval, the sources of its spread, and all that is missing from it (stats/machines.h). Pure.
 *
 * Machines of different classes are never pooled: a row is of one benchmark and one class. A machine that was lost, refused or
 * cancelled is left out and named. A benchmark that failed on a machine fails in its row, since the rest would be a biased choice.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_t json_t;

typedef struct FleetRun {
        const char *run_id; /* 32 hexadecimal digits */
        uint64_t seed;
        size_t asked;           /* machines */
        size_t min_machines;    /* of a class, for a number over them; 0: the default */
        const char *started_at; /* ISO 8601, UTC */
        json_t *machines;       /* an array of { name, id, machine_name, machine_class, state, error, result } */
} FleetRun;

/* Makes the document, which holds a reference to the machines of @run. Returns 0 or a negative errno. */
int fleet_pool(const FleetRun *run, json_t **ret_document);

/*
 * True if the machine of @result measured all that it was asked to, so that its state is "done": the run was not cancelled. A
 * benchmark that failed makes the verdict of a result partial too.
 */
bool fleet_result_is_whole(const json_t *result);
