/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A run on several machines as one document: each machine's result unchanged, and for each benchmark and comparison a number over the
 * machines, its interval, the sources of its spread, and everything missing from it (stats/machines.h). Pure.
 *
 * Machines of different classes are never pooled: a row is for one benchmark and one class. A lost, refused or cancelled machine is left
 * out and named. A benchmark that failed on one machine fails in its row, since the other machines would be a biased choice.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_t json_t;

typedef struct FleetRun {
        const char *run_id; /* 32 hexadecimal digits */
        uint64_t seed;
        size_t asked;           /* machines */
        size_t min_machines;    /* of a class, for a number over machines; 0: the default */
        const char *started_at; /* ISO 8601, UTC */
        json_t *machines;       /* an array of { name, id, machine_name, machine_class, state, error, result } */
} FleetRun;

/* Makes the document, which takes a reference to the machines of @run. Returns 0 or a negative errno. */
int fleet_pool(const FleetRun *run, json_t **ret_document);

/*
 * True if the machine of @result measured everything, so that its state is "done". The verdict alone does not tell: a failed benchmark
 * makes it partial, too, not only a cancelled run.
 */
bool fleet_result_is_whole(const json_t *result);
