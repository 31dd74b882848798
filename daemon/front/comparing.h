/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rows of a comparison, from the log ratios of its processes: how much longer the new side takes, with its interval,
 * and the verdict against the margin, after Holm's adjustment over the rows (stats/comparison.h). Pure.
 */

#include <stddef.h>

#include "front/arena.h"
#include "front/measurement.h"
#include "proto/benchd.pb-c.h"

typedef struct Comparison Comparison;

#define COMPARING_MARGIN 0.005 /* where nobody says */

/* Writes @row, one of @n_rows, into @message; what is unresolved with what would tell, or why nothing will. Returns 0 or a negative errno. */
int comparing_fill(const Comparison *row, size_t n_rows, double margin, Arena *arena,
                Benchd__ComparisonResult *message);

/* Adds a row for each pair of @measurement that has enough processes, and for the others one that says so. Returns 0 or a negative errno. */
int comparing_report(const Measurement *measurement, double margin, Arena *arena, Benchd__RunResult *result);
