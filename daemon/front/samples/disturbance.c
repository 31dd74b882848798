/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/disturbance.h"

#include <math.h>

#include "front/base/message.h"
#include "util/cleanup.h"
#include "util/error.h"

/* A neighbour slows the rulers too: that is no other frequency then. */
void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns) {
        const SampleClass class = sample_class(sample);
        const bool company = sample_has_company(sample);

        disturbance->n_samples++;
        disturbance->n_disturbed += class != SAMPLE_CLASS_UNDISTURBED;
        disturbance->n_quiet += class <= SAMPLE_CLASS_QUIET;
        disturbance->n_shared += class == SAMPLE_CLASS_SHARED;
        disturbance->n_company += company;
        disturbance->n_interrupted += (sample->flags & SAMPLE_FLAG_INTERRUPTED) != 0;
        disturbance->n_preempted += (sample->flags & SAMPLE_FLAG_PREEMPTED) != 0;
        disturbance->n_migrated += (sample->flags & SAMPLE_FLAG_MIGRATED) != 0;
        disturbance->n_faulted += (sample->flags & SAMPLE_FLAG_FAULTED) != 0;
        disturbance->n_frequency += (sample->flags & SAMPLE_FLAG_FREQUENCY) && !company;
        disturbance->n_unattributed += (sample->flags & SAMPLE_FLAG_UNATTRIBUTED) != 0;
        disturbance->n_stolen += (sample->flags & SAMPLE_FLAG_STOLEN) != 0;
        disturbance->sampled_ns += ns;
        if (!(sample->flags & SAMPLE_FLAGS_TAKEN) || ns <= usual_ns)
                return;
        disturbance->taken_ns += ns - usual_ns;
        disturbance->stolen_ns += sample->flags & SAMPLE_FLAG_STOLEN ? ns - usual_ns : 0;
}

/* ---- one process */

/* Off if they are in one process, on only if they are in all. */
static SampleProbes probes_together(SampleProbes a, SampleProbes b) {
        if (a == SAMPLE_PROBES_OFF || b == SAMPLE_PROBES_OFF)
                return SAMPLE_PROBES_OFF;
        return a == b ? a : SAMPLE_PROBES_NONE;
}

/* A pause is no sampling time: nothing that happens within it costs any. */
DisturbanceShares disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns) {
        const Disturbance before = *disturbance;
        const bool probes = block->probes == SAMPLE_PROBES_ON, any = probes || clock->detectors;
        const double n = block->n_samples;

        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];

                disturbance_add(disturbance, sample,
                                sample_is_manual(sample)
                                                ? sample->manual_ns
                                                : sample_ticks_to_ns(sample->ticks - sample->paused_ticks, clock),
                                median_ns * sample->iterations * sample_block_ops(block, sample));
        }
        disturbance->switched_off |= block->conduct.switched_off;
        disturbance->detectors = before.begun ? before.detectors & clock->detectors : clock->detectors;
        disturbance->probes = before.begun ? probes_together(before.probes, block->probes) : block->probes;
        disturbance->begun = true;
        return (DisturbanceShares){
                .disturbed = any ? (disturbance->n_disturbed - before.n_disturbed) / n : NAN,
                .quiet = any ? (disturbance->n_quiet - before.n_quiet) / n : NAN,
                .shared = probes ? (disturbance->n_shared - before.n_shared) / n : NAN,
        };
}

/* ---- all of them */

DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, bool alone) {
        const uint64_t n_not_quiet = disturbance->n_samples - disturbance->n_quiet;

        if (n_not_quiet > 0 && 2 * disturbance->n_company >= n_not_quiet) {
                if (!alone)
                        return DISTURBANCE_SHARED;
                if (disturbance->n_quiet < DISTURBANCE_QUIET_MIN * disturbance->n_samples)
                        return DISTURBANCE_SELDOM;
        }
        return disturbance->taken_ns > DISTURBANCE_UNFIT * disturbance->sampled_ns ? DISTURBANCE_TIME : DISTURBANCE_FIT;
}

static void disturbance_warn(const Disturbance *disturbance, DisturbanceVerdict verdict, Arena *arena,
                WarningList *warnings) {
        const double shared = 100.0 * disturbance->n_shared / disturbance->n_samples;

        if (verdict == DISTURBANCE_TIME && 2 * disturbance->stolen_ns >= disturbance->taken_ns)
                warning_add(warnings, arena, WARNING_UNFIT_STEAL,
                                "unfit: the hypervisor ran other guests for over %.0f %% of the sampling time (steal). "
                                "Run it again later, or on a host that is not overcommitted",
                                100 * DISTURBANCE_UNFIT);
        else if (verdict == DISTURBANCE_TIME)
                warning_add(warnings, arena, WARNING_UNFIT_OTHER_WORK,
                                "unfit: other work took over %.0f %% of the sampling time. Stop it, or choose CPUs "
                                "that were set apart at boot (--cpus)",
                                100 * DISTURBANCE_UNFIT);
        if (verdict == DISTURBANCE_SELDOM)
                warning_add(warnings, arena, WARNING_UNFIT_SHARED_CORE,
                                "unfit: the core was shared for %.0f %% of the samples: the time is that of the few "
                                "that had it alone. Run it again later, on other CPUs (--cpus), or with a longer "
                                "--budget",
                                shared);
        if (verdict == DISTURBANCE_SHARED)
                warning_add(warnings, arena, WARNING_UNFIT_SHARED_CORE,
                                "unfit: the core was shared for %.0f %% of the samples: the time is that beside a busy "
                                "neighbour. Run it again later, on other CPUs (--cpus), or with a longer --budget",
                                shared);
}

static int disturbance_report_switched_off(const Disturbance *disturbance, Arena *arena, Benchd__Disturbed *message,
                WarningList *warnings) {
        const struct {
                bool off;
                const char *name;
                const char *words;
        } rows[] = {
                { disturbance->switched_off & DETECTOR_CANARY, "canary",
                                "its own work faults pages in most batches and so hides interrupts, which are not "
                                "marked" },
                { disturbance->switched_off & DETECTOR_RSEQ, "rseq",
                                "it waits, handles signals or unmaps files in most batches, which looks like a preemption: "
                                "only the kernel's counts mark preemptions" },
                { disturbance->probes == SAMPLE_PROBES_OFF, "probes",
                                "the code itself leaves the core slower than it found it (wide vector units, cold "
                                "caches), which looks like a busy neighbour: neighbours are not marked" },
        };

        message->switched_off = arena_zero(arena, N_ELEMENTS(rows) * sizeof *message->switched_off);
        if (!message->switched_off)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].off) {
                        message->switched_off[message->n_switched_off++] = arena_text(arena, rows[i].name);
                        warning_add(warnings, arena, WARNING_DETECTOR_OFF, "%s", rows[i].words);
                }
        return 0;
}

/* The number of shared samples is there if probes could tell in any process. */
static void disturbance_report_probes(const Disturbance *disturbance, Benchd__Disturbed *message) {
        static const Benchd__Disturbed__Probes words[_SAMPLE_PROBES_N] = {
                [SAMPLE_PROBES_NONE] = BENCHD__DISTURBED__PROBES__NONE,
                [SAMPLE_PROBES_ON] = BENCHD__DISTURBED__PROBES__ON,
                [SAMPLE_PROBES_OFF] = BENCHD__DISTURBED__PROBES__OFF,
        };

        message_set(message, probes, words[disturbance->probes]);
        if (disturbance->probes != SAMPLE_PROBES_ON && disturbance->n_shared == 0)
                return;
        message_set(message, shared, disturbance->n_shared);
        message_set_finite(message, shared_share, (double)disturbance->n_shared / disturbance->n_samples);
}

int disturbance_report(const Disturbance *disturbance, bool alone, Arena *arena, Benchd__Disturbed **ret_message,
                WarningList *warnings) {
        DisturbanceVerdict verdict = disturbance_judge(disturbance, alone);
        Benchd__Disturbed *message;

        if ((disturbance->detectors == 0 && disturbance->probes == SAMPLE_PROBES_NONE && disturbance->n_shared == 0) ||
                        disturbance->n_samples == 0)
                return 0;
        message = message_new(arena, Benchd__Disturbed, benchd__disturbed);
        if (!message)
                return error_origin(-ENOMEM);
        message_set_finite(message, fraction, (double)disturbance->n_disturbed / disturbance->n_samples);
        message_set_finite(message, quiet, (double)disturbance->n_quiet / disturbance->n_samples);
        message_set(message, interrupted, disturbance->n_interrupted);
        message_set(message, preempted, disturbance->n_preempted);
        message_set(message, migrated, disturbance->n_migrated);
        message_set(message, faulted, disturbance->n_faulted);
        message_set(message, frequency, disturbance->n_frequency);
        message_set(message, unattributed, disturbance->n_unattributed);
        message_set(message, stolen, disturbance->n_stolen);
        disturbance_report_probes(disturbance, message);
        message_set(message, unfit, verdict != DISTURBANCE_FIT);
        *ret_message = message;
        disturbance_warn(disturbance, verdict, arena, warnings);
        return error_trace(disturbance_report_switched_off(disturbance, arena, message, warnings));
}
