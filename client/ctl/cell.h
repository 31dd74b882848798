/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cells of a benchmark's row, each from a value of its JSON. A cell without a value is empty.
 */

#include <stdio.h>

typedef struct Footnotes Footnotes;
typedef struct json_t json_t;

/*
 * Prints a cell of @benchmark from the value at @path. Warnings go into @footnotes in full; without footnotes the first of them stands
 * as a word or two.
 */
typedef void (*CellFill)(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);

void cell_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_title(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_sided_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_unscaled_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_iteration(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_elapsed(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_interval(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_number(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_count(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_share(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_throughput(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_rate(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_throughput_or_rate(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_counter(const char *name, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_text(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_iterations(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_shared(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_distribution(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_median(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_drift(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_modes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);
void cell_notes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);

/* Prints the name, the arguments, the threads and the CPUs of @benchmark: "memchr n=16". */
void cell_print_name(const json_t *benchmark, FILE *out);
