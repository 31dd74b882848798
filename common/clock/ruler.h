/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The ruler: a chain of dependent register additions, each of which takes one cycle of the core, whatever turbo does. The ticks that it
 * takes give the core's frequency at that moment, beside the measured code.
 *
 * Register operands only: newer cores perform an addition of an immediate at rename, in no time. The check is another
 * chain, of multiplications, which take three cycles on every x86-64 core since Nehalem and Zen; where it does not come to
 * a whole number of additions, the ruler is none. (uarch-bench calibrates such a chain once; new is beside each batch.)
 */

#include <stdbool.h>
#include <stdint.h>

#define RULER_STEP 100u /* additions of one turn of the loop */

/* Runs @turns turns of RULER_STEP additions. Returns the ticks from before to after, clock pair included. */
uint64_t ruler_run(uint32_t turns);

/* The same with multiplications. */
uint64_t ruler_run_multiplications(uint32_t turns);

/* Cycles of the core a tick, when a ruler of @turns took @ticks with its fixed cost of @cost_ticks. Pure. */
double ruler_cycles_per_tick(uint32_t turns, double ticks, double cost_ticks);

/* The core's Hz, when a ruler of @turns took @ticks with its fixed cost of @cost_ticks. Pure. */
double ruler_core_hz(uint32_t turns, double ticks, double cost_ticks, double tsc_hz);

/* True if multiplications that take @ratio times as long as additions confirm that the ruler counts cycles. Pure. */
bool ruler_confirms(double ratio);
