/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The clock of the CPU that the runner is pinned to: its frequency, what others say of that, its step, what reading it
 * costs, and whether it agrees with another CPU's.
 */

#include "ops/runner-plan.h"

/* All but the warp test. Returns 0, a positive number where the clocks do not agree, or -ENOMEM. */
int calibrate_clock(ClockFacts *clock, ClockChecks *checks);

/* The warp test against CPU @other; nothing where that is this CPU, or cannot be had. The process has had two threads then. */
void calibrate_clock_warp(int own, int other, ClockFacts *clock);
