/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Rows of a document of several machines: one of a benchmark, or of a pair, in a class of machines, and one of each machine beneath it.
 * Tables for eyes, for programs and pages share them. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/model/view.h"

typedef struct json_t json_t;

/* True if @document, an object, is of several machines. */
bool fleet_is(const json_t *document);

/* The count at @path of @document; 0 without one. */
size_t fleet_count(const json_t *document, const char *path);

/* How many machines of @document are in @state. */
size_t fleet_count_state(const json_t *document, const char *state);

/* True if @machine of a document could not load the module, which fails every benchmark. */
bool fleet_refuses_module(const json_t *machine);

/* How many were lost, or refused the run for a reason of their own: not for its module, which is a failure, nor as it was cancelled. */
size_t fleet_count_left_out(const json_t *document);

/*
 * The rows of @document in the order of @sort, those of a class together and in the order of the classes. A row of a pair has the times of
 * both sides too, "old" and "new", where the document tells them. A new reference in @ret_rows. Returns 0 or a negative errno.
 */
int fleet_rows(const json_t *document, ViewSort sort, json_t **ret_rows);

/* The row of the machine at @index of @row, as one of its own, with that as "beneath"; a new reference, or NULL if memory ran out. */
json_t *fleet_machine_row(const json_t *row, size_t index);

/* The class of @row, or of a machine, an object of the document; NULL: none of them. Borrowed. */
const json_t *fleet_class_of(const json_t *document, const json_t *row);

/* The result of the first machine of @class that has one; of any class where that is NULL. Borrowed; NULL: there is none. */
const json_t *fleet_result(const json_t *document, const json_t *class);

/*
 * Prints the words that stand in place of the numbers of @row: a failure, of one machine for all of them, or that too few machines have a
 * number; nothing where it has one over machines. Times are told as @times does, or NULL.
 */
void fleet_print_words(const json_t *row, const Times *times, FILE *out);

/* Prints the first @most of @names, strings or objects with a "name": "alder, birch and 12 others"; 0: all. */
void fleet_print_names(const json_t *names, size_t most, FILE *out);
