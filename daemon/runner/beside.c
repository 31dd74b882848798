/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/beside.h"

#include "clock/probe.h"
#include "clock/ruler.h"
#include "ops/sample-block.h"
#include "runner/body.h"
#include "runner/detect.h"

#define BESIDE_FREQUENCY 0.01 /* rulers further apart: the frequency changed */
#define BESIDE_STRETCHED 1.5  /* a ruler longer by this: the core was taken away */

void beside_begin(Beside *beside, bool adjacent) {
        if (beside->clock->ruler_turns == 0)
                return;
        beside->before_ticks =
                        adjacent && beside->after_ticks ? beside->after_ticks : ruler_run(beside->clock->ruler_turns);
}

void beside_end(Beside *beside) {
        if (beside->clock->ruler_turns == 0)
                return;
        detect_arm(beside->clock->detectors);
        beside->after_ticks = ruler_run(beside->clock->ruler_turns);
        beside->after_flags = detect_read(beside->clock->detectors);
}

static bool beside_is_stretched(const Beside *beside) {
        return beside->after_ticks > BESIDE_STRETCHED * beside->before_ticks;
}

bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick) {
        const ProbeLevels levels = {
                .branch_cycles = clock->branch_cycles,
                .ports_cycles = clock->ports_cycles,
                .quantum_cycles = clock->quantum_ticks * cycles_per_tick,
        };

        return probe_is_slow(reading, &levels, cycles_per_tick);
}

/* By the quicker of the two rulers: one that was interrupted, or slowed by the neighbour, would let the probe pass. */
static bool beside_probe_is_slow(const Beside *beside, const ProbeReading *reading) {
        const ClockFacts *clock = beside->clock;
        const uint64_t ruler_ticks =
                        beside->before_ticks < beside->after_ticks ? beside->before_ticks : beside->after_ticks;

        return beside_is_slow(clock, reading,
                        ruler_cycles_per_tick(clock->ruler_turns, ruler_ticks, clock->ruler_cost_ticks));
}

BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch) {
        if (beside->clock->port_chains == 0 || beside->before_ticks == 0 || batch->before.branch_ticks == 0)
                return (BesideProbes){};
        return (BesideProbes){
                .before = beside_probe_is_slow(beside, &batch->before),
                .after = beside_probe_is_slow(beside, &batch->after),
        };
}

/*
 * The rulers' verdict on a sample. Both differ: the core's frequency changed within it. The one after it is stretched
 * by more than any frequency explains, and no detector knows why: a hypervisor or firmware had the core.
 */
static uint32_t beside_ruler_flags(const Beside *beside) {
        double before = beside->before_ticks, after = beside->after_ticks;

        if (before == 0 || beside->after_flags)
                return 0;
        if (beside_is_stretched(beside))
                return SAMPLE_FLAG_UNATTRIBUTED;
        return after > (1 + BESIDE_FREQUENCY) * before || before > (1 + BESIDE_FREQUENCY) * after
                               ? SAMPLE_FLAG_FREQUENCY
                               : 0;
}

/* A neighbour slows the ruler a little too, which is no change of frequency. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample) {
        const BesideProbes slow = probed ? beside_probes(beside, batch) : (BesideProbes){};
        uint32_t flags = beside_ruler_flags(beside);

        if (slow.before || slow.after)
                flags = (flags & ~(uint32_t)SAMPLE_FLAG_FREQUENCY) | SAMPLE_FLAG_SHARED;
        sample->ruler_before_ticks = beside->before_ticks;
        sample->ruler_after_ticks = beside->after_ticks;
        sample->flags |= flags;
}
