/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/probe.h"

#include "clock/ruler.h"
#include "ops/sample-block.h"
#include "runner/detect.h"

#define PROBE_FREQUENCY 0.01 /* rulers further apart: the frequency changed */
#define PROBE_STRETCHED 1.5  /* a ruler longer by this: the core was taken away */

void probe_before(Probe *probe, bool adjacent) {
        if (probe->clock->ruler_turns == 0)
                return;
        probe->before_ticks =
                        adjacent && probe->after_ticks ? probe->after_ticks : ruler_run(probe->clock->ruler_turns);
}

void probe_after(Probe *probe) {
        if (probe->clock->ruler_turns == 0)
                return;
        detect_arm(probe->clock->detectors);
        probe->after_ticks = ruler_run(probe->clock->ruler_turns);
        probe->after_flags = detect_read(probe->clock->detectors);
}

/*
 * What the rulers tell of a sample. Both differ: the core's frequency changed within it. The one after it is stretched by
 * more than any frequency explains, and no detector knows why: a hypervisor or firmware had the core.
 */
static uint32_t probe_flags(const Probe *probe) {
        double before = probe->before_ticks, after = probe->after_ticks;

        if (before == 0 || probe->after_flags)
                return 0;
        if (after > PROBE_STRETCHED * before)
                return SAMPLE_FLAG_UNATTRIBUTED;
        return after > (1 + PROBE_FREQUENCY) * before || before > (1 + PROBE_FREQUENCY) * after ? SAMPLE_FLAG_FREQUENCY
                                                                                                : 0;
}

void probe_fill(const Probe *probe, Sample *sample) {
        sample->ruler_before_ticks = probe->before_ticks;
        sample->ruler_after_ticks = probe->after_ticks;
        sample->flags |= probe_flags(probe);
}
