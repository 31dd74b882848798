/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The static limit of a timed loop: the least cycles that an iteration can take on this core, as llvm-mca of LLVM reckons from a model of it.
 * The model has all data in the first-level cache and predicts all branches; it knows nothing of called functions, so calls are left
 * out, and a loop within the loop counts as a single pass.
 *
 * llvm-mca runs with the rights of the user, and reads nothing but the text of instructions: a line with any other character is
 * not passed on.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct json_t json_t;

enum {
        _STATIC_LIMIT_E_SUCCESS,

        STATIC_LIMIT_E_NONE, /* no loop, or nothing of it is timed */
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

/* An instruction as the assembler takes it. NULL: it is none, or memory ran out. The caller's to free(). */
char *static_program_line(const json_t *instruction);

/*
 * The limit of @program from what llvm-mca printed, in JSON: "cpu", "throughput_cycles", "cycles", "instructions", "micro_operations",
 * "left_out", "inner_loop", and "problem", which is a sentence where there are no figures. NULL: memory ran out.
 */
json_t *static_limit_read(const StaticProgram *program, const char *printed, const char *complaints);

/* Runs llvm-mca on the loop of @code. NULL: memory ran out. */
json_t *static_limit_new(const json_t *code);
