/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * An instruction of an inspected module, from its JSON: printed with names in place of addresses; and normalised, so that it equals the
 * same instruction of another module at other addresses. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* Prints "call   strlen", "mov    rax, qword ptr [rsp + 8]", "jne    1a60". */
void instruction_print(const json_t *instruction, FILE *out);

/*
 * The text without position-dependent addresses; a target is a name, or is inside or outside of @loop, an object with "start" and "end".
 * The caller frees it. NULL: memory ran out.
 */
char *instruction_normalise(const json_t *instruction, const json_t *loop);

/* True if the instruction lies in its loop; and if it jumps into @loop. */
bool instruction_in_loop(const json_t *instruction);
bool instruction_jumps_into(const json_t *instruction, const json_t *loop);

/* True for a call, by its mnemonic. */
bool instruction_is_call(const json_t *instruction);
