/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Explanation of a comparison: for each pair of benchmarks, the timed loops of both sides, instruction by instruction, and whether their
 * called functions differ. Instructions are compared independently of the addresses of their modules.
 */

typedef struct Connection Connection;
typedef struct benchd_module benchd_module;
typedef struct json_t json_t;

/*
 * Asks for the machine code of both sides of each pair in @result, and adds it as "explain". Names on stderr any module that cannot be
 * inspected. Returns 0 or an exit code.
 */
int explain_add(Connection *connection, const benchd_module *old, const benchd_module *new, json_t *result);

/*
 * Explains one pair from the inspections of both sides, with their code: "old" and "new" with the loop and its "instructions"; "rows" with
 * the "mark" (same, changed, old, new) and the index on either side; "same"; and the "called" functions, each with its own "same". If a
 * loop was not found, "rows" is empty and "same" null. NULL: memory ran out.
 */
json_t *explain_pair(const json_t *old, const json_t *new);
