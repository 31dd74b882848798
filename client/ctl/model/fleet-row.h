/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Rows of a document of several machines: one for each benchmark or pair in a class of machines, and beneath it one for each machine.
 * Tables, machine-readable formats and HTML share them. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/model/view.h"

typedef struct json_t json_t;

/* True if @document, an object, covers several machines. */
bool fleet_is(const json_t *document);

/* The count at @path of @document; 0 if missing. */
size_t fleet_count(const json_t *document, const char *path);

/* The number of machines of @document in @state. */
size_t fleet_count_state(const json_t *document, const char *state);

/* True if @machine of a document could not load the module, which makes every benchmark fail. */
bool fleet_refuses_module(const json_t *machine);

/* The number of machines that were lost, or refused the run for a reason other than its module (a failure) or its cancellation. */
size_t fleet_count_left_out(const json_t *document);

/*
 * Makes the rows of @document in the order of @sort, grouped by class in the order of the classes. A pair's row also has the times of both
 * sides, "old" and "new", if the document has them. A new reference in @ret_rows. Returns 0 or a negative errno.
 */
int fleet_rows(const json_t *document, ViewSort sort, json_t **ret_rows);

/* Makes a row for the machine at @index of @row, with @row as "beneath"; a new reference, or NULL if memory ran out. */
json_t *fleet_machine_row(const json_t *row, size_t index);

/* The class of @row, or of a machine, as an object of the document; NULL: none. Borrowed. */
const json_t *fleet_class_of(const json_t *document, const json_t *row);

/* The result of the first machine of @class (NULL: any class) that has one. Borrowed; NULL: none. */
const json_t *fleet_result(const json_t *document, const json_t *class);

/*
 * Prints the words that replace the numbers of @row: a failure, on one machine for all, or that too few machines have a number. Prints
 * nothing if @row has a number over machines. @times (or NULL) formats times.
 */
void fleet_print_words(const json_t *row, const Times *times, FILE *out);

/* Prints the first @most of @names, strings or objects with a "name": "alder, birch and 12 others"; 0: all. */
void fleet_print_names(const json_t *names, size_t most, FILE *out);
