/* SPDX-License-Identifier: MIT */
#include "clock/ruler.h"

#include "clock/tick.h"

#define RULER_TOLERANCE 0.05 /* of the ratio: a neighbour on the physical core slows additions more */

#define TEN(step)     step step step step step step step step step step
#define HUNDRED(step) TEN(TEN(step))

_Static_assert(RULER_STEP == 100, "HUNDRED() is one turn");

uint64_t ruler_run(uint32_t turns) {
        uint64_t x = 1, start, stop;

        start = tick_start();
        for (; turns > 0; turns--)
                __asm__ volatile(HUNDRED("add %0, %0\n\t") : "+r"(x));
        stop = tick_stop();
        return stop - start;
}

uint64_t ruler_run_multiplications(uint32_t turns) {
        uint64_t x = 3, start, stop;

        start = tick_start();
        for (; turns > 0; turns--)
                __asm__ volatile(HUNDRED("imul %0, %0\n\t") : "+r"(x));
        stop = tick_stop();
        return stop - start;
}

double ruler_cycles_per_tick(uint32_t turns, double ticks, double cost_ticks) {
        return (double)turns * RULER_STEP / (ticks - cost_ticks);
}

double ruler_core_hz(uint32_t turns, double ticks, double cost_ticks, double tsc_hz) {
        return ruler_cycles_per_tick(turns, ticks, cost_ticks) * tsc_hz;
}

bool ruler_confirms(double ratio) {
        uint32_t whole = ratio + 0.5;
        double off = ratio > whole ? ratio - whole : whole - ratio;

        return whole >= 3 && off <= RULER_TOLERANCE * whole;
}
