/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Findings of a table: each is printed once, in a line that says what to do and names the rows concerned.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "words/warning.h"

typedef struct View View;
typedef struct json_t json_t;

bool finding_is(const json_t *finding, WarningKind kind);

/* True if @finding makes its row not reliable. */
bool finding_is_unfit(const json_t *finding);

/* True if @row, a benchmark or a comparison, has a finding of @kind. */
bool findings_has(const json_t *row, WarningKind kind);

/*
 * The note that says why @row, a benchmark or a pair with its sides (rows.h), is not reliable: "not reliable", "while shared" or "traced".
 * NULL: it is reliable. Borrowed.
 */
const char *findings_unfit_note(const json_t *row);

/* The short note for @row, a benchmark or a pair: the worst first. NULL: none. Borrowed. */
const char *findings_note(const json_t *row);

/*
 * The note that all of @rows share, if several have not failed: it stands once, above them, in place of the column of notes. NULL: none, or
 * @view shows that column whatever it holds. Borrowed.
 */
const char *findings_common_note(const json_t *rows, const View *view);

/* The largest number at @path of @rows, and how many rows have one: that many processes or machines suffice for all these rows. */
double findings_most(const json_t *rows, const char *path, size_t *ret_n);

/*
 * Passes each finding of the rows @all, except the empty loop, once to @take, as a sentence that names the rows. @take returns 0 or a
 * negative errno.
 */
typedef int (*FindingTake)(void *where, const char *sentence);
int findings_each(const json_t *all, void (*print_name)(const json_t *row, FILE *out), const View *view,
                FindingTake take, void *where);

/* A take() that prints a line, for a FindingPrinter. */
typedef struct FindingPrinter {
        unsigned width; /* 0: no limit */
        FILE *out;
} FindingPrinter;
int findings_print_one(void *where, const char *sentence);

/* Prints the findings of @rows, benchmarks or comparisons, whose names @print_name prints. Returns 0 or a negative errno. */
int findings_print(const json_t *rows, void (*print_name)(const json_t *row, FILE *out), const View *view, FILE *out);
