/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Parameters of commands: a name whose values stand for {name} in a text, one command for each value, or for each combination of the
 * values of several. Numbers are decimal, and so exact. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#define EXEC_PARAMETERS_MAX 8u
#define EXEC_PROBLEM_BYTES  256u

/* A value that stands for {name} in a command and its hooks. */
typedef struct ExecParameter {
        const char *name;
        const char *value;
} ExecParameter;

/* A parameter with all its values, all owned. */
typedef struct ExecScale {
        char *name;
        char **values;
        size_t n;
} ExecScale;

typedef struct ExecScales {
        ExecScale all[EXEC_PARAMETERS_MAX];
        size_t n;
} ExecScales;

/* Adds a parameter from "NAME,MIN,MAX" and a step (NULL: 1). Returns false with a sentence without its full stop in @problem. */
bool exec_scales_add_scan(ExecScales *scales, const char *text, const char *step,
                char problem[static EXEC_PROBLEM_BYTES]);

/* Adds one from "NAME,VALUE,...", where \, is a comma. As above. */
bool exec_scales_add_list(ExecScales *scales, const char *text, char problem[static EXEC_PROBLEM_BYTES]);

void exec_scales_clear(ExecScales *scales);

/* The number of combinations; 1 without parameters. */
size_t exec_scales_combinations(const ExecScales *scales);

/* Writes the values of the combination @index, the first parameter's varying fastest; they borrow from @scales. */
void exec_scales_combine(const ExecScales *scales, size_t index,
                ExecParameter ret_parameters[static EXEC_PARAMETERS_MAX]);

/* A copy of @text with values in place of {name}; a value is not searched for others. NULL: memory ran out. */
char *exec_substitute(const char *text, const ExecParameter *parameters, size_t n);

/* True if {name} is in @text. */
bool exec_uses(const char *text, const char *name);
