/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The static limit of a timed loop: the fewest cycles that an iteration can take on this core, as LLVM's llvm-mca computes from a model of
 * it. The model assumes that all data are in the first-level cache and all branches are predicted. It does not cover called functions, so
 * calls are left out; an inner loop counts as a single pass.
 *
 * llvm-mca runs with the rights of the user, and reads only the text of instructions: a line with any other character is not passed to it.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct json_t json_t;

enum {
        _STATIC_LIMIT_E_SUCCESS,

        STATIC_LIMIT_E_NONE, /* no loop, or no timed part in it */
};

/* The timed part of a loop as an assembly program. */
typedef struct StaticProgram {
        char *text;
        json_t *left_out; /* names of called functions */
        size_t n;         /* instructions */
        bool inner_loop;
} StaticProgram;

/* Writes the loop of the inspection @code. Returns 0, E_NONE, or a negative errno. */
int static_program_new(const json_t *code, StaticProgram *ret_program);
void static_program_clear(StaticProgram *program);

/* The text of an instruction for the assembler, which the caller frees. NULL: not an instruction, or memory ran out. */
char *static_program_line(const json_t *instruction);

/*
 * Reads the limit of @program from the output of llvm-mca, as JSON: "cpu", "throughput_cycles", "cycles", "instructions",
 * "micro_operations", "left_out", "inner_loop", and "problem", a sentence if there are no figures. NULL: memory ran out.
 */
json_t *static_limit_read(const StaticProgram *program, const char *printed, const char *complaints);

/* Runs llvm-mca on the loop of @code. NULL: memory ran out. */
json_t *static_limit_new(const json_t *code);
