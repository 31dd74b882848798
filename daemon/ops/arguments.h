/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Sets of arguments: the product of a benchmark's axes, with the last axis varying fastest. A range goes first, first *
 * factor, ... or first, first + step, ... and always ends with last.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"

/* The number of values of @axis, at least 1. */
size_t arguments_axis_count(const ListingAxis *axis);

/* Value @index of @axis. */
ArgumentValue arguments_axis_value(const ListingAxis *axis, size_t index);

/* True if @value is a value of @axis. */
bool arguments_axis_has(const ListingAxis *axis, const ArgumentValue *value);

/* The axes of a benchmark, and a place in their product. */
typedef struct Arguments {
        const ListingEntry *entry; /* borrowed */
        size_t n_values[RUNNER_ARGS_MAX];
        size_t at[RUNNER_ARGS_MAX];
} Arguments;

/* Begins at the first set of @entry's arguments. */
void arguments_init(Arguments *arguments, const ListingEntry *entry);

/* The number of sets, 1 without axes. */
size_t arguments_count(const Arguments *arguments);

/* Go to set @index, counted from 0 in the order of arguments_step(); and return the index of the present set. */
void arguments_seek(Arguments *arguments, size_t index);
size_t arguments_index(const Arguments *arguments);

/* Writes the present set. */
void arguments_get(const Arguments *arguments, ArgumentValue ret_args[static RUNNER_ARGS_MAX]);

/* Steps to the next set. Returns false after the last one. */
bool arguments_step(Arguments *arguments);
