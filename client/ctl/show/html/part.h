/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Parts of a page: each converts printable JSON to markup, in a separate source file. Each function returns 0 or a negative errno.
 */

#include <stdio.h>

typedef struct View View;
typedef struct json_t json_t;

/* The warnings of @result on the machine and the run; a page has them above the table. */
void machine_print_warnings(const json_t *result, FILE *out);

/* The machine and the conditions of @result, folded. */
int machine_print(const json_t *result, FILE *out);

/* The same below the heading @title, with the warnings, for a place that is folded itself. */
int machine_print_of(const json_t *result, const char *title, FILE *out);

/* The machines of two results, one column each; differing values are marked. */
int machine_print_two(const json_t *const results[static 2], const char *const titles[static 2], FILE *out);

/* The table of @result, with the findings below it; its rows link to the articles, whose ids begin with @id. */
int result_table_print(const char *id, const json_t *result, const View *view, FILE *out);

/* An article for each benchmark of @result: every figure, its warnings in full, the drawing, its growth, its output. */
int benchmarks_print(const char *id, const json_t *result, const View *view, FILE *out);

/* The sweeps of @result, if there are any: times by size with their fits, an article for each area and argument. */
int sweeps_print(const char *id, const json_t *result, const View *view, FILE *out);

/* The table of a comparison with its intervals against the margin, and an article for each pair. */
int comparison_print(const char *id, const json_t *result, const View *view, FILE *out);

/* The names of benchmarks that only one side of a comparison has. */
void comparison_print_unpaired(const json_t *result, FILE *out);

/* The jobs of a history; times over earlier runs; two results side by side. */
int history_print(const json_t *history, const View *view, FILE *out);
int trend_print(const json_t *trend, const View *view, FILE *out);
int side_by_side_print(const json_t *json, const View *view, FILE *out);

/* The table of several machines, with a dot for each, the findings, and each machine: its numbers and its environment. */
int fleet_print(const json_t *document, const View *view, FILE *out);

/* ---- shared by several parts */

#define PART_ID_MAX 48u

/* Prints the area, name, arguments and threads of @row, isolated for writing direction. */
void part_print_name(const json_t *row, FILE *out);

/* Says that the pictures of @result have no samples, why, and how to keep them; nothing if it has them. */
void part_print_no_samples(const json_t *result, FILE *out);

/* Prints the @names of benchmarks that only @where has; nothing if there are none. */
void part_print_only(const json_t *names, const char *where, FILE *out);

/* The CSS class for the words on @benchmark, which has no number: "failed" or "skipped". */
const char *part_failure_class(const json_t *benchmark);

/* A copy of @sentence that begins with a capital letter, unless its first word is a name; the caller frees it. NULL if memory ran out. */
char *part_sentence(const char *sentence);

/* Prints @sentences, an array, as warnings above a table; all but the first few are folded, so that the table is on the first screen. */
void part_print_notices(const json_t *sentences, FILE *out);

/* Prints the warnings of @row in full, as a list; nothing if there are none. */
void part_print_warnings(const json_t *row, FILE *out);

/* FindingTakes: each prints a sentence as a list item to the stream @where; one that begins with a name is left as it is. */
int part_print_item(void *where, const char *sentence);
int part_print_sentence(void *where, const char *sentence);

/* The drawing and figures for the article of @benchmark, over the times of @range (NULL: its own). */
typedef struct SamplesRange SamplesRange;
int part_print_benchmark(const char *id, const json_t *result, const json_t *benchmark, const SamplesRange *range,
                const View *view, FILE *out);
