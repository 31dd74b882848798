/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The explanation of a comparison: for each pair of benchmarks the timed loops of both sides, instruction by instruction, and whether the
 * functions that they call differ. Two instructions are the same if they do the same, wherever their modules were linked.
 */

typedef struct Connection Connection;
typedef struct benchd_module benchd_module;
typedef struct json_t json_t;

/*
 * Asks for the machine code of both sides of each pair in @result, and adds them to it as "explain". A module that cannot be inspected
 * is told on stderr. Returns 0 or an exit code.
 */
int explain_add(Connection *connection, const benchd_module *old, const benchd_module *new, json_t *result);

/*
 * One pair, from the inspections of both sides with their code: "old" and "new" with the loop and its "instructions", "rows" with the
 * "mark" (same, changed, old, new) and the index on either side, "same", and "called" functions with theirs. "rows" is empty and "same" null
 * where a loop was not found. NULL: memory ran out.
 */
json_t *explain_pair(const json_t *old, const json_t *new);
