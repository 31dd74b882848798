/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/beside.h"

#include <string.h>

#include "clock/probe.h"
#include "clock/ruler.h"
#include "ops/block.h"
#include "runner/time/body.h"
#include "runner/watch/detect.h"

#define BESIDE_FREQUENCY 0.01 /* if rulers differ by more, the frequency changed */
#define BESIDE_STRETCHED 1.5  /* if a ruler is longer by this factor, the core was taken away */

void beside_begin(Beside *beside, bool adjacent) {
        if (beside->clock->ruler_turns == 0)
                return;
        beside->before_ticks =
                        adjacent && beside->after_ticks ? beside->after_ticks : ruler_run(beside->clock->ruler_turns);
}

static ProbeLevels beside_levels(const ClockFacts *clock, double cycles_per_tick) {
        return (ProbeLevels){
                .branch_cycles = clock->branch_cycles,
                .ports_cycles = clock->ports_cycles,
                .quantum_cycles = clock->quantum_ticks * cycles_per_tick,
        };
}

bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick) {
        const ProbeLevels levels = beside_levels(clock, cycles_per_tick);

        return probe_is_slow(reading, &levels, cycles_per_tick);
}

/* Uses the quicker of the two rulers: one that was interrupted, or slowed by a neighbour, would hide a slow probe. */
static double beside_cycles_per_tick(const Beside *beside) {
        const ClockFacts *clock = beside->clock;
        const uint64_t ruler_ticks =
                        beside->before_ticks < beside->after_ticks ? beside->before_ticks : beside->after_ticks;

        return ruler_cycles_per_tick(clock->ruler_turns, ruler_ticks, clock->ruler_cost_ticks);
}

static bool beside_has_probes(const Beside *beside, const BodyBatch *batch) {
        return beside->clock->port_chains > 0 && beside->before_ticks > 0 && batch->before.branch_ticks > 0;
}

static void beside_note_pair(Beside *beside, const BodyBatch *batch) {
        const double cycles_per_tick = beside_cycles_per_tick(beside);

        memmove(beside->pairs, beside->pairs + 1, (BESIDE_STRETCH - 1) * sizeof *beside->pairs);
        beside->pairs[BESIDE_STRETCH - 1] = (ProbePair){
                .before_cycles = batch->before.branch_ticks * cycles_per_tick,
                .after_cycles = batch->after.branch_ticks * cycles_per_tick,
        };
        beside->n_pairs += beside->n_pairs < BESIDE_STRETCH;
}

void beside_end(Beside *beside, const BodyBatch *batch) {
        if (beside->clock->ruler_turns == 0)
                return;
        detect_arm(beside->clock->detectors);
        beside->after_ticks = ruler_run(beside->clock->ruler_turns);
        beside->after_flags = detect_read(beside->clock->detectors);
        if (beside_has_probes(beside, batch))
                beside_note_pair(beside, batch);
}

BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch) {
        double cycles_per_tick;

        if (!beside_has_probes(beside, batch))
                return (BesideProbes){};
        cycles_per_tick = beside_cycles_per_tick(beside);
        return (BesideProbes){
                .before = beside_is_slow(beside->clock, &batch->before, cycles_per_tick),
                .after = beside_is_slow(beside->clock, &batch->after, cycles_per_tick),
        };
}

bool beside_stretch_is_slow(const Beside *beside, uint32_t n) {
        ProbeLevels levels;

        n = n < beside->n_pairs ? n : beside->n_pairs;
        if (n == 0)
                return false;
        levels = beside_levels(beside->clock, beside_cycles_per_tick(beside));
        return probe_stretch_is_slow(beside->pairs + BESIDE_STRETCH - n, n, &levels);
}

/*
 * The rulers' verdict on a sample. If the two differ, the core's frequency changed within it. If the one after it is
 * stretched by more than any frequency explains, and no detector was triggered, a hypervisor or firmware had the core.
 */
static uint32_t beside_ruler_flags(const Beside *beside) {
        double before = beside->before_ticks, after = beside->after_ticks;

        if (before == 0 || beside->after_flags)
                return 0;
        if (beside->after_ticks > BESIDE_STRETCHED * beside->before_ticks)
                return MARK_UNATTRIBUTED;
        return after > (1 + BESIDE_FREQUENCY) * before || before > (1 + BESIDE_FREQUENCY) * after ? MARK_FREQUENCY : 0;
}

/* A neighbour slows the ruler a little too, which is not a change of frequency. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample) {
        const BesideProbes slow = probed ? beside_probes(beside, batch) : (BesideProbes){};
        uint32_t flags = beside_ruler_flags(beside);

        if (slow.before || slow.after)
                flags = (flags & ~(uint32_t)MARK_FREQUENCY) | MARK_SHARED;
        sample->ruler_before_ticks = beside->before_ticks;
        sample->ruler_after_ticks = beside->after_ticks;
        sample->flags |= flags;
}
