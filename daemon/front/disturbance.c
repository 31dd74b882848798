/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/disturbance.h"

#include <math.h>
#include <stdlib.h>

#include "front/message.h"
#include "front/quantity.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

#define DISTURBANCE_EXCLUDES (~(uint32_t)SAMPLE_FLAG_FAULTED)
#define DISTURBANCE_TAKES    (SAMPLE_FLAG_PREEMPTED | SAMPLE_FLAG_MIGRATED | SAMPLE_FLAG_UNATTRIBUTED)
#define DISTURBANCE_PARTS    (DISTURBANCE_TAKES | SAMPLE_FLAG_FREQUENCY)

bool disturbance_is_none(const Sample *sample) {
        return (sample->flags & DISTURBANCE_EXCLUDES) == 0;
}

void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns) {
        disturbance->n_samples++;
        disturbance->n_disturbed += !disturbance_is_none(sample);
        disturbance->n_interrupted += (sample->flags & SAMPLE_FLAG_INTERRUPTED) != 0;
        disturbance->n_preempted += (sample->flags & SAMPLE_FLAG_PREEMPTED) != 0;
        disturbance->n_migrated += (sample->flags & SAMPLE_FLAG_MIGRATED) != 0;
        disturbance->n_faulted += (sample->flags & SAMPLE_FLAG_FAULTED) != 0;
        disturbance->n_frequency += (sample->flags & SAMPLE_FLAG_FREQUENCY) != 0;
        disturbance->n_unattributed += (sample->flags & SAMPLE_FLAG_UNATTRIBUTED) != 0;
        disturbance->sampled_ns += ns;
        if ((sample->flags & DISTURBANCE_TAKES) && ns > usual_ns)
                disturbance->taken_ns += ns - usual_ns;
}

/* ---- one process */

/* What was timed of it: what happens within a pause takes nothing from that. */
static double sample_ns(const Sample *sample, const ClockFacts *clock) {
        return (sample->ticks - sample->paused_ticks) / clock->hz * NS_PER_S;
}

/* Its pauses and the cost of a batch taken off, an operation. */
static double sample_operation_ticks(const SampleBlock *block, const Sample *sample, const ClockFacts *clock) {
        double ticks = (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;

        return ticks / sample->iterations / sample_block_ops(block, sample);
}

static void disturbance_count(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns) {
        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];

                disturbance_add(disturbance, sample, sample_ns(sample, clock),
                                median_ns * sample->iterations * sample_block_ops(block, sample));
        }
        disturbance->switched_off |= block->conduct.switched_off;
        disturbance->detectors = disturbance->begun ? disturbance->detectors & clock->detectors : clock->detectors;
        disturbance->begun = true;
}

/* Where too few are left for an estimate, as of the undisturbed ones (front/quantity.h), there is nothing to compare. */
static int disturbance_compare(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock) {
        _cleanup_(freep) double *all = malloc((size_t)block->n_samples * sizeof *all);
        _cleanup_(freep) double *left = malloc((size_t)block->n_samples * sizeof *left);
        size_t n_left = 0;
        double apart;

        if (!all || !left)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_samples; i++) {
                all[i] = sample_operation_ticks(block, &block->samples[i], clock);
                if (!(block->samples[i].flags & DISTURBANCE_PARTS))
                        left[n_left++] = all[i];
        }
        if (n_left < QUANTITY_UNDISTURBED_MIN || 2 * n_left < block->n_samples)
                return 0;
        apart = log(median_of(all, block->n_samples) / median_of(left, n_left));
        if (isfinite(apart)) {
                disturbance->apart += apart;
                disturbance->n_processes++;
        }
        return 0;
}

int disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns, double *ret_share) {
        uint64_t before = disturbance->n_disturbed;

        disturbance_count(disturbance, block, clock, median_ns);
        *ret_share = clock->detectors ? (double)(disturbance->n_disturbed - before) / block->n_samples : NAN;
        return error_trace(disturbance_compare(disturbance, block, clock));
}

/* ---- all of them */

DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, double interval) {
        if (disturbance->taken_ns > DISTURBANCE_UNFIT * disturbance->sampled_ns)
                return DISTURBANCE_TIME;
        if (disturbance->n_processes > 0 && fabs(disturbance->apart) / disturbance->n_processes > interval)
                return DISTURBANCE_APART;
        return DISTURBANCE_FIT;
}

static void disturbance_warn(DisturbanceVerdict verdict, Arena *arena, TextList *warnings) {
        if (verdict == DISTURBANCE_TIME)
                text_list_add(warnings, arena,
                                "unfit: other work took over %.0f %% of the sampling time. Stop it, or choose CPUs that were "
                                "set apart at boot (--cpus)",
                                100 * DISTURBANCE_UNFIT);
        if (verdict == DISTURBANCE_APART)
                text_list_add(warnings, arena,
                                "unfit: without the disturbed samples the time is another, by more than the interval. Stop "
                                "what else runs, or choose CPUs that were set apart at boot (--cpus)");
}

static int disturbance_report_switched_off(const Disturbance *disturbance, Arena *arena, Benchd__Disturbed *message,
                TextList *warnings) {
        static const struct {
                uint32_t detector;
                const char *name;
                const char *words;
        } rows[] = {
                { DETECTOR_CANARY, "canary",
                                "its own work faults pages in most batches: interrupts cannot be told from that, and are not marked" },
                { DETECTOR_RSEQ, "rseq",
                                "it sleeps or waits in most batches, which looks like a preemption: those are told by the kernel's counts alone" },
        };

        message->switched_off = arena_zero(arena, N_ELEMENTS(rows) * sizeof *message->switched_off);
        if (!message->switched_off)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (disturbance->switched_off & rows[i].detector) {
                        message->switched_off[message->n_switched_off++] = arena_text(arena, rows[i].name);
                        text_list_add(warnings, arena, "%s", rows[i].words);
                }
        return 0;
}

int disturbance_report(const Disturbance *disturbance, double interval, Arena *arena, Benchd__Disturbed **ret_message,
                TextList *warnings) {
        DisturbanceVerdict verdict = disturbance_judge(disturbance, interval);
        Benchd__Disturbed *message;

        if (disturbance->detectors == 0 || disturbance->n_samples == 0)
                return 0;
        message = message_new(arena, Benchd__Disturbed, benchd__disturbed);
        if (!message)
                return error_origin(-ENOMEM);
        message_set_finite(message, fraction, (double)disturbance->n_disturbed / disturbance->n_samples);
        message_set(message, interrupted, disturbance->n_interrupted);
        message_set(message, preempted, disturbance->n_preempted);
        message_set(message, migrated, disturbance->n_migrated);
        message_set(message, faulted, disturbance->n_faulted);
        message_set(message, frequency, disturbance->n_frequency);
        message_set(message, unattributed, disturbance->n_unattributed);
        message_set(message, unfit, verdict != DISTURBANCE_FIT);
        *ret_message = message;
        disturbance_warn(verdict, arena, warnings);
        return error_trace(disturbance_report_switched_off(disturbance, arena, message, warnings));
}
