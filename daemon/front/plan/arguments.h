/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Sets of arguments: the product of a benchmark's axes, the last one fastest. A range goes first, first * factor, ...
 * and always ends with last.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/sample-block.h"

#define ARGUMENTS_AXIS_VALUES_MAX 64u /* a range that doubles through all of 63 bits, and its last */

/* Writes the values of @axis; returns their number, at least 1. */
size_t arguments_axis_values(const ListingAxis *axis, int64_t ret_values[static ARGUMENTS_AXIS_VALUES_MAX]);

/* All values of a benchmark's axes, and a place in their product. */
typedef struct Arguments {
        int64_t values[RUNNER_ARGS_MAX][ARGUMENTS_AXIS_VALUES_MAX];
        size_t n_values[RUNNER_ARGS_MAX];
        size_t at[RUNNER_ARGS_MAX];
        size_t n_axes;
} Arguments;

/* Begins at the first set of @entry's arguments. */
void arguments_init(Arguments *arguments, const ListingEntry *entry);

/* The number of sets, 1 without axes. */
size_t arguments_count(const Arguments *arguments);

/* Writes the set at this place. */
void arguments_get(const Arguments *arguments, int64_t ret_args[static RUNNER_ARGS_MAX]);

/* Steps to the next set. Returns false after the last one. */
bool arguments_step(Arguments *arguments);
