/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * An instruction of an inspected module, from its JSON: for eyes, with names in place of addresses; and in a form in which it is
 * equal to the same instruction of another module, wherever the two lie. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* Prints "call   strlen", "mov    rax, qword ptr [rsp + 8]", "jne    1a60". */
void instruction_print(const json_t *instruction, FILE *out);

/*
 * Its text without addresses that depend on the place; a target is a name, or inside or outside of @loop, an object with "start" and
 * "end". The caller's to free(). NULL: memory ran out.
 */
char *instruction_normalise(const json_t *instruction, const json_t *loop);

/* True if its address lies in @loop; and if the target of its jump does. */
bool instruction_in_loop(const json_t *instruction);
bool instruction_jumps_into(const json_t *instruction, const json_t *loop);

/* True for a call, by its mnemonic. */
bool instruction_is_call(const json_t *instruction);
