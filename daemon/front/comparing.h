/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rows of a comparison, from the log ratios of its processes: how much longer the new side takes, with its interval,
 * and the verdict against the margin, after Holm's adjustment over the rows (stats/comparison.h). Pure.
 */

#include "front/arena.h"
#include "front/measurement.h"
#include "proto/benchd.pb-c.h"

#define COMPARING_MARGIN 0.005 /* where nobody says */

/* Adds a row for each pair of @measurement that has enough processes, and for the others one that says so. Returns 0 or a negative errno. */
int comparing_report(const Measurement *measurement, double margin, Arena *arena, Benchd__RunResult *result);
