/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibration of the CPU that the runner is pinned to: the clock's frequency and quantum, and what an empty batch costs
 * through the very loop that benchmarks run in. Takes about 150 ms.
 */

#include "ops/sample-block.h"

void calibrate_run(const RunnerPlan *plan, CalibrationBlock *block);
