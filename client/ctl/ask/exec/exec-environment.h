/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The environment of a run: the user's, with the number of the run, and with a variable of a length drawn anew, so that the addresses of the
 * stack, which change the time of some programs, are not those of one length only. The names are those of hyperfine, whose scripts know them.
 */

#include <stdint.h>

#define EXEC_ITERATION_VARIABLE "HYPERFINE_ITERATION"
#define EXEC_OFFSET_VARIABLE    "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"
#define EXEC_OFFSET_MAX         4096u
#define EXEC_ITERATION_BYTES    24u /* "12"; "warmup-0" of a run that is not timed */

typedef struct ExecEnvironment {
        char **variables; /* ended by NULL; the array is owned */
        char iteration[sizeof EXEC_ITERATION_VARIABLE + EXEC_ITERATION_BYTES];
        char offset[sizeof EXEC_OFFSET_VARIABLE + EXEC_OFFSET_MAX + 1];
} ExecEnvironment;

/* Makes it of @variables, which must outlive it. Returns 0 or -ENOMEM. */
int exec_environment_init(ExecEnvironment *environment, char *const *variables);
void exec_environment_clear(ExecEnvironment *environment);

/* Makes it that of run number @iteration, with a length that @draw decides. */
void exec_environment_draw(ExecEnvironment *environment, uint64_t iteration, uint64_t draw);
