/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/sample.h"

#include <math.h>

#include "clock/ruler.h"
#include "stats/quantile.h"
#include "util/time.h"

#define SAMPLE_CYCLES_BATCH_NS (10 * NS_PER_MS) /* over a longer batch two rulers say nothing of the frequency */
#define SAMPLE_RULER_STRETCHED 1.5 /* no frequency explains that one is so much longer: the core was taken away */

SampleClass sample_class(const Sample *sample) {
        const uint32_t marks = sample->flags & MARKS_ALL;

        if (marks & MARK_SHARED)
                return SAMPLE_CLASS_SHARED;
        switch (marks_class(marks)) {
        case MARK_CLASS_DISTURBED:
                return SAMPLE_CLASS_TAKEN;
        case MARK_CLASS_SHARED:
                return SAMPLE_CLASS_BESIDE;
        default:
                return marks & ~(uint32_t)MARK_FAULTED ? SAMPLE_CLASS_QUIET : SAMPLE_CLASS_UNDISTURBED;
        }
}

bool sample_has_company(const Sample *sample) {
        return (sample->flags & MARKS_SHARED) != 0;
}

uint32_t sample_marks(const Sample *sample) {
        const uint32_t marks = sample->flags & MARKS_ALL;

        return sample_has_company(sample) ? marks & ~(uint32_t)MARK_FREQUENCY : marks;
}

double sample_ticks_to_ns(double ticks, const ClockFacts *clock) {
        return ticks / clock->hz * NS_PER_S;
}

bool sample_is_manual(const Sample *sample) {
        return sample->manual_ns > 0;
}

double sample_net_ticks(const Sample *sample, const ClockFacts *clock) {
        if (sample_is_manual(sample))
                return sample->manual_ns * clock->hz / NS_PER_S;
        return (double)(sample->ticks - sample->paused_ticks) -
               (sample->flags & SAMPLE_FLAG_LED ? clock->led_cost_ticks : clock->batch_cost_ticks);
}

double sample_step_ticks(const SampleBlock *block, const Sample *sample, const ClockFacts *clock) {
        return sample_is_manual(sample) ? block->cpu_step_ns * clock->hz / NS_PER_S : clock->quantum_ticks;
}

double sample_operation_ns(const SampleBlock *block, const Sample *sample, const ClockFacts *clock) {
        return sample_ticks_to_ns(sample_net_ticks(sample, clock), clock) / sample->iterations /
               sample_block_ops(block, sample);
}

/* The mean of both rulers; the shorter one alone if the other was stretched. */
static double sample_ruler_ticks(const Sample *sample) {
        const double before = sample->ruler_before_ticks, after = sample->ruler_after_ticks;
        const double least = fmin(before, after);

        return fmax(before, after) > SAMPLE_RULER_STRETCHED * least ? least : (before + after) / 2;
}

double sample_core_hz(const Sample *sample, const ClockFacts *clock) {
        double ticks = sample_ruler_ticks(sample);

        if (sample_is_manual(sample) || clock->ruler_turns == 0 || sample->ruler_before_ticks == 0 ||
                        sample->ruler_after_ticks == 0 || ticks <= clock->ruler_cost_ticks ||
                        sample_ticks_to_ns(sample->ticks - sample->paused_ticks, clock) > SAMPLE_CYCLES_BATCH_NS)
                return NAN;
        return ruler_core_hz(clock->ruler_turns, ticks, clock->ruler_cost_ticks, clock->hz);
}

SampleLoopCost sample_loop_cost(const SampleBlock *block, const ClockFacts *clock) {
        double ns[RUNNER_LOOP_SAMPLES_MAX], cycles[RUNNER_LOOP_SAMPLES_MAX];
        bool known = true;

        if (block->n_loop_samples == 0)
                return (SampleLoopCost){};
        for (uint32_t i = 0; i < block->n_loop_samples; i++) {
                ns[i] = sample_operation_ns(block, &block->loop_samples[i], clock);
                cycles[i] = ns[i] * sample_core_hz(&block->loop_samples[i], clock) / NS_PER_S;
                known &= isfinite(cycles[i]);
        }
        return (SampleLoopCost){
                .ns = quantile_median(ns, block->n_loop_samples),
                .cycles = known ? quantile_median(cycles, block->n_loop_samples) : NAN,
        };
}

double sample_sequence_ns(const SampleBlock *block, const ClockFacts *clock) {
        const Sample *last = &block->samples[block->n_samples - 1];

        return sample_ticks_to_ns(last->start_ticks + last->ticks - block->samples[0].start_ticks, clock);
}
