/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibration of the CPU that the runner is pinned to: its clock, what an empty batch and a pause cost through the very loop that
 * benchmarks run in, the ruler and its check, the probes, and which detectors work. Takes some 100 ms, and longer if a neighbour
 * leaves the core only for moments.
 *
 * The plan names the clock; its second CPU is the other one in the warp test, and the following CPUs are tested for sharing the core
 * (runner/time/siblings.h). These tests come last, since a process that has had a second thread behaves differently.
 */

#include "ops/block.h"

void calibrate_run(const RunnerPlan *plan, CalibrationBlock *block);
