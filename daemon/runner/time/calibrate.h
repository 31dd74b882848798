/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibration of the CPU that the runner is pinned to: its clock, what an empty batch and a pause cost
 * through the very loop that benchmarks run in, the ruler and its check, the probes, and which detectors work. Takes some 100 ms, and
 * longer where a neighbour leaves the core alone only for moments.
 *
 * The plan says which clock it is, its second CPU is the other one of the warp test, and of those that follow it is found out whether
 * they share the core (runner/time/siblings.h); these come last, since a process that has had a second thread is another machine.
 */

#include "ops/block.h"

void calibrate_run(const RunnerPlan *plan, CalibrationBlock *block);
