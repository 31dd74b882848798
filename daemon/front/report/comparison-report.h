/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Comparison report: one row per benchmark, from the log ratios of its processes: the ratio of the new side's time to
 * the old side's, its interval, and the verdict against the margin at the look where the row ended (stats/sequence.h), after
 * Holm's adjustment over the rows (stats/comparison.h). Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "front/samples/measurement.h"
#include "ops/runner-plan.h"
#include "proto/benchd.pb-c.h"

typedef struct Comparison Comparison;

/*
 * Writes @row to @message; an unresolved row with the number of processes that would resolve it, or a warning why no number will. Returns 0
 * or a negative errno.
 */
int comparison_report_row(const Comparison *row, double margin, Arena *arena, Benchd__ComparisonResult *message,
                WarningList *warnings);

/*
 * Adds a warning if the loops at @addresses, the new side's first, lie at different offsets in their cache lines, which moves by
 * @step_bytes, 16 to 64, cannot make equal. The linker sets these offsets, so they are the same in every process and no interval includes
 * their effect (Mytkowicz et al., ASPLOS 2009).
 */
void comparison_report_warn_placement(const uint64_t addresses[static RUNNER_SIDES_MAX], uint32_t step_bytes,
                Arena *arena, WarningList *warnings);

/*
 * Adds a warning that the core was shared, and withdraws the verdict of @message: another hardware thread slows different code by different
 * amounts, so the ratio of shared turns can be wrong by a factor of two.
 */
void comparison_report_warn_shared(Arena *arena, Benchd__ComparisonResult *message, WarningList *warnings);

/* The rows of @result with that warning: each of their sides may have had the core alone for long enough all the same. */
size_t comparison_report_count_shared(const Benchd__RunResult *result);

/*
 * Adds a row for each pair of @measurement, with a warning if it has too few processes. Returns 0 or a negative errno.
 */
int comparison_report_fill(const Measurement *measurement, Arena *arena, Benchd__RunResult *result);
