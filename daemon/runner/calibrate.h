/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibration of the CPU that the runner is pinned to: its clock (calibrate-clock.h), what an empty batch and a pause cost
 * through the very loop that benchmarks run in, the ruler and its check, and which detectors work. Takes some 250 ms.
 *
 * The plan says which clock it is, and its second CPU is the other one of the warp test; that comes last, since a process
 * that has had a second thread is another machine.
 */

#include "ops/sample-block.h"

void calibrate_run(const RunnerPlan *plan, CalibrationBlock *block);
