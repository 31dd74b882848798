/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rows of a comparison, from the log ratios of its processes: how much longer the new side takes, with its interval,
 * and the verdict against the margin, after Holm's adjustment over the rows (stats/comparison.h). Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "front/samples/measurement.h"
#include "ops/runner-plan.h"
#include "proto/benchd.pb-c.h"

typedef struct Comparison Comparison;

#define COMPARISON_REPORT_MARGIN 0.005 /* where nobody says */

/*
 * Writes @row, one of @n_rows, into @message; what is unresolved with what would tell, or in @warnings why nothing will. Returns 0 or
 * a negative errno.
 */
int comparison_report_row(const Comparison *row, size_t n_rows, double margin, Arena *arena,
                Benchd__ComparisonResult *message, TextList *warnings);

/*
 * Appends that the loops at @addresses, the new side's first, lie at different offsets in their cache lines, if they do. The linker
 * sets the offset, so it is the same in every process and no interval has it (Mytkowicz et al., ASPLOS 2009).
 */
void comparison_report_warn_placement(const uint64_t addresses[static RUNNER_SIDES_MAX], Arena *arena,
                TextList *warnings);

/* Adds a row for each pair of @measurement that has enough processes, and for the others one that says so. Returns 0 or a negative errno. */
int comparison_report_fill(const Measurement *measurement, double margin, Arena *arena, Benchd__RunResult *result);
