/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cells of all tables: each is the text of a value of a row's JSON. A cell without a value is empty.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/unit.h"

typedef struct json_t json_t;

#define FOOTNOTES_MAX 64u

/* Sentences below a table, by number: each stands there once, however many rows refer to it. */
typedef struct Footnotes {
        const char *texts[FOOTNOTES_MAX]; /* borrowed */
        size_t n;
} Footnotes;

/* Returns the number of @text, from 1; 0 if there are too many. */
size_t footnotes_add(Footnotes *footnotes, const char *text);

/*
 * Prints a cell of @row from the value at @path. Warnings go into @footnotes in full; without footnotes the first of them stands
 * as a word or two.
 */
typedef void (*CellFill)(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);

/* The text of a cell that @fill makes, without footnotes; NULL if memory ran out. It is the caller's. */
char *cell_make(CellFill fill, const char *path, const json_t *row);

/* ---- any row */

void cell_text(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_number(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_count(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_share(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_time(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_time_range(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_p_value(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_date(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);

/* "strings/memchr n=16", of a pair of two names with "against" the old one; of a machine its name. */
void cell_path(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);

/* ---- a benchmark */

void cell_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_title(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_sided_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_unscaled_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_iteration(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_elapsed(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_interval(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_throughput(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_rate(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_throughput_or_rate(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_counter(const char *name, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_iterations(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_shared(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_distribution(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_median(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_drift(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_modes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_notes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);

/* Prints the name, the arguments, the threads and the CPUs of @benchmark: "memchr n=16". */
void cell_print_name(const json_t *benchmark, FILE *out);

/* Writes "printed 1,234 bytes" into @text; false, and nothing, where @benchmark printed nothing. */
bool cell_describe_output(const json_t *benchmark, char text[static UNIT_TEXT_MAX]);

/* ---- a pair of a comparison */

void cell_ratio(const char *path, const json_t *pair, Footnotes *footnotes, FILE *out);
void cell_ratio_interval(const char *path, const json_t *pair, Footnotes *footnotes, FILE *out);
void cell_pair_notes(const char *path, const json_t *pair, Footnotes *footnotes, FILE *out);

/* True if a side of @pair was disturbed too much and no finding of it says so; and the sentence on that. */
bool cell_pair_is_disturbed(const json_t *pair);
extern const char cell_disturbed_words[];

/* ---- a row over several machines */

void cell_machines(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_machines_range(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);
void cell_machine_notes(const char *path, const json_t *row, Footnotes *footnotes, FILE *out);

/* Prints the lowest and the highest number of the machines of @row, or the only one. */
void cell_print_machines_range(const json_t *row, FILE *out);

/* ---- a job, an earlier run, a listed benchmark */

void cell_job(const char *path, const json_t *run, Footnotes *footnotes, FILE *out);
void cell_run_note(const char *path, const json_t *run, Footnotes *footnotes, FILE *out);
void cell_user(const char *path, const json_t *job, Footnotes *footnotes, FILE *out);
void cell_state(const char *path, const json_t *job, Footnotes *footnotes, FILE *out);
void cell_job_notes(const char *path, const json_t *job, Footnotes *footnotes, FILE *out);
void cell_listed_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_axes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_about(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
