/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The output of a module: its last lines below the row of a failed benchmark, or below an error; a note beside a benchmark with a number;
 * all of it in the details. From printable JSON, whose "output" has no control characters but line ends.
 */

#include <stdio.h>

#define REPORT_OUTPUT_LINES 5u

typedef struct Grid Grid;
typedef struct json_t json_t;

/* Adds the reason why @row has no number to the current line of the grid. Returns 0 or a negative errno. */
int report_output_add_failure(Grid *grid, const json_t *row);

/* Adds the last lines that @benchmark printed below its row, if it failed. Returns 0 or a negative errno. */
int report_output_add(Grid *grid, const json_t *benchmark);

/* Prints the last lines that @benchmark printed, if it failed, each after @start. */
void report_output_print_failure(const json_t *benchmark, const char *start, FILE *out);

/* Prints the output of each benchmark of @result that report_output_add() does not show completely. */
void report_output_print_all(const json_t *result, FILE *out);
