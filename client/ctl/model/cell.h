/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cells of all tables: each is the text of a value of a row's JSON. A cell without a value is empty.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/base/unit.h"

typedef struct Times Times;
typedef struct json_t json_t;

#define CELL_FOOTNOTES_MAX 64u

/* Numbered sentences below a table: each appears once, however many rows refer to it. */
typedef struct CellFootnotes {
        const char *texts[CELL_FOOTNOTES_MAX]; /* borrowed */
        size_t n;
} CellFootnotes;

/* Returns the number of @text, from 1; 0 if there are too many. */
size_t cell_footnotes_add(CellFootnotes *footnotes, const char *text);

/*
 * Prints a cell of @row from the value at @path; @times (or NULL) formats times. Warnings go to @footnotes in full; without footnotes, the
 * cell has the first one in a word or two.
 */
typedef void CellFunction(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out);
typedef CellFunction *CellFill;

/* The text of a cell filled by @fill, without footnotes; the caller frees it. NULL if memory ran out. */
char *cell_make(CellFill fill, const char *path, const json_t *row, const Times *times);

/* ---- any row */

CellFunction cell_text, cell_number, cell_count, cell_share, cell_time, cell_time_range, cell_p_value, cell_date;

/* "strings/memchr n=16"; for a pair with two names, also "against" the old one, with its area if that differs; for a machine, its name. */
CellFunction cell_path;

/* ---- a benchmark */

CellFunction cell_name, cell_sided_name, cell_unscaled_time, cell_iteration, cell_elapsed, cell_interval,
                cell_throughput, cell_rate, cell_throughput_or_rate, cell_counter, cell_iterations, cell_shared,
                cell_distribution, cell_median, cell_drift, cell_modes, cell_notes;

/* Prints the title, which is the name unless the module gave one, the arguments, the threads and the CPUs of @benchmark: "memchr n=16". */
void cell_print_name(const json_t *benchmark, FILE *out);

/* Writes "printed 1,234 bytes" to @text. Returns false, and writes nothing, if @benchmark printed nothing. */
bool cell_describe_output(const json_t *benchmark, char text[static UNIT_TEXT_MAX]);

/* ---- a pair of a comparison */

CellFunction cell_side_time, cell_ratio, cell_ratio_interval, cell_verdict, cell_pair_notes;

/* ---- a whole command, and a pair of them: "1.2 ms → 1.4 ms", of the reference and of the command */

CellFunction cell_command, cell_memory, cell_both_times, cell_both_memories;

/* ---- a row over several machines */

CellFunction cell_machines, cell_machines_range, cell_machine_notes;

/* Prints the lowest and the highest number of the machines of @row, or the only one. */
void cell_print_machines_range(const json_t *row, const Times *times, FILE *out);

/* ---- a job, an earlier run, a listed benchmark */

CellFunction cell_job, cell_run_note, cell_commit, cell_user, cell_state, cell_job_notes, cell_listed_name, cell_axes,
                cell_about;
