/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What stands in a cell of the table: a function from a benchmark's JSON to a text, nothing where there is no value.
 */

#include <stdio.h>

typedef struct Footnotes Footnotes;
typedef struct json_t json_t;

/* Writes a cell of @benchmark, whose value is at @path, if it is of one; what it warns of is noted in @footnotes. */
typedef void CellFill(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);

/* Of the value at the path. */
CellFill cell_time;    /* nanoseconds in a unit that fits; without one where they are a multiple of a reference */
CellFill cell_elapsed; /* the mean at the path times all operations, without what was paused or subtracted */
CellFill cell_number;
CellFill cell_count;
CellFill cell_share;      /* in percent */
CellFill cell_iterations; /* of a sample, and what an iteration counts for */

/* Of the benchmark. */
CellFill cell_name;
CellFill cell_interval; /* the wider half, in percent of the point; in its unit where that is not above zero */
CellFill cell_notes;    /* flags in words, rates, the author's counters, and numbers of footnotes */

/* Prints its title and its arguments: "memchr n=16". */
void cell_print_name(const json_t *benchmark, FILE *out);
