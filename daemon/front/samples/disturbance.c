/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/disturbance.h"

#include <math.h>

#include "front/base/message.h"
#include "util/cleanup.h"
#include "util/error.h"

void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns) {
        const SampleClass class = sample_class(sample);
        const uint32_t marks = sample_marks(sample);

        disturbance->n_samples++;
        disturbance->n_disturbed += class != SAMPLE_CLASS_UNDISTURBED;
        disturbance->n_quiet += class <= SAMPLE_CLASS_QUIET;
        disturbance->n_shared += class == SAMPLE_CLASS_SHARED;
        disturbance->n_company += sample_has_company(sample);
        for (size_t i = 0; i < MARKS_N; i++)
                disturbance->n_marked[i] += marks >> i & 1;
        disturbance->sampled_ns += ns;
        if (!(marks & MARKS_DISTURBED) || ns <= usual_ns)
                return;
        disturbance->taken_ns += ns - usual_ns;
        disturbance->stolen_ns += marks & MARK_STOLEN ? ns - usual_ns : 0;
}

/* ---- one process */

/* Off if they are in one process, on only if they are in all. */
static SampleProbes probes_together(SampleProbes a, SampleProbes b) {
        if (a == SAMPLE_PROBES_OFF || b == SAMPLE_PROBES_OFF)
                return SAMPLE_PROBES_OFF;
        return a == b ? a : SAMPLE_PROBES_NONE;
}

/* A pause is not sampling time: nothing that happens within it costs any. */
DisturbanceShares disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns, double contamination) {
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
        disturbance->n_watched += probes ? block->n_samples : 0;
        disturbance->n_watched_quiet += probes ? disturbance->n_quiet - before.n_quiet : 0;
        disturbance->n_hidden += contamination * (disturbance->n_quiet - before.n_quiet);
        disturbance->switched_off |= block->conduct.switched_off;
        disturbance->detectors = before.begun ? before.detectors & clock->detectors : clock->detectors;
        disturbance->probes = before.begun ? probes_together(before.probes, block->probes) : block->probes;
        disturbance->blind |= block->probes == SAMPLE_PROBES_NONE;
        disturbance->begun = true;
        return (DisturbanceShares){
                .disturbed = any ? (disturbance->n_disturbed - before.n_disturbed) / n : NAN,
                .quiet = probes ? (disturbance->n_quiet - before.n_quiet) / n : NAN,
                .shared = probes ? (disturbance->n_shared - before.n_shared) / n : NAN,
        };
}

/* ---- all of them */

static size_t processes_needed(const DisturbanceFacts *facts) {
        return facts->n_wanted < DISTURBANCE_PROCESSES_MIN ? facts->n_wanted : DISTURBANCE_PROCESSES_MIN;
}

/* By what a neighbour did: what it left alone may still be too little. */
static DisturbanceVerdict disturbance_judge_company(const Disturbance *disturbance, const DisturbanceFacts *facts) {
        const uint64_t n_not_quiet = disturbance->n_samples - disturbance->n_quiet;

        if (disturbance->n_company == 0)
                return DISTURBANCE_FIT;
        if (facts->measurand == MEASURAND_SHARED)
                return DISTURBANCE_SHARED;
        if (facts->measurand == MEASURAND_ALL)
                return 2 * disturbance->n_company >= n_not_quiet ? DISTURBANCE_SHARED : DISTURBANCE_FIT;
        if (facts->n_quiet < processes_needed(facts))
                return DISTURBANCE_FEW;
        if (facts->n_places_missing > 0)
                return DISTURBANCE_PLACE;
        return facts->contaminated > log1p(DISTURBANCE_MARGIN) ||
                                               disturbance->n_hidden > DISTURBANCE_HIDDEN_MAX * disturbance->n_quiet
                               ? DISTURBANCE_HIDDEN
                               : DISTURBANCE_FIT;
}

DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, const DisturbanceFacts *facts) {
        const DisturbanceVerdict company = disturbance_judge_company(disturbance, facts);

        if (company != DISTURBANCE_FIT)
                return company;
        if (disturbance->taken_ns > DISTURBANCE_UNFIT * disturbance->sampled_ns)
                return DISTURBANCE_TIME;
        return disturbance->blind ? DISTURBANCE_UNTOLD : DISTURBANCE_FIT;
}

bool disturbance_is_unwatched(const Disturbance *disturbance) {
        return disturbance->blind || disturbance->n_watched == 0;
}

static void warn_time(const Disturbance *disturbance, const DisturbanceFacts *facts, Arena *arena,
                WarningList *warnings) {
        if (2 * disturbance->stolen_ns >= disturbance->taken_ns)
                warning_add(warnings, arena, WARNING_UNFIT_STEAL,
                                "unfit: the hypervisor ran other guests for over %.0f %% of the sampling time (steal). "
                                "Run it again later, or on a host that is not overcommitted",
                                100 * DISTURBANCE_UNFIT);
        else if (facts->own_threads)
                warning_add(warnings, arena, WARNING_UNFIT_OTHER_WORK,
                                "unfit: other work, or other threads of the module, took the CPU of the measured thread "
                                "for over %.0f %% of the sampling time. Stop that work, or lend a CPU to each thread "
                                "(--cpus-per-run)",
                                100 * DISTURBANCE_UNFIT);
        else
                warning_add(warnings, arena, WARNING_UNFIT_OTHER_WORK,
                                "unfit: other work took over %.0f %% of the sampling time. Stop it, or choose CPUs "
                                "that were set apart at boot (--cpus)",
                                100 * DISTURBANCE_UNFIT);
}

static void disturbance_warn(const Disturbance *disturbance, const DisturbanceFacts *facts, DisturbanceVerdict verdict,
                Arena *arena, WarningList *warnings) {
        static const char later[] = "Run it again later, on other CPUs (--cpus), or with a longer --budget";
        const double shared = 100.0 * disturbance->n_company / disturbance->n_samples;

        switch (verdict) {
        case DISTURBANCE_TIME:
                warn_time(disturbance, facts, arena, warnings);
                break;
        case DISTURBANCE_SHARED:
                warning_add(warnings, arena, WARNING_UNFIT_SHARED_CORE,
                                "unfit: the core was shared for %.0f %% of the samples, and no process had it alone for "
                                "long enough: the time is that beside a busy neighbour. %s",
                                shared, later);
                break;
        case DISTURBANCE_FEW:
                warning_add(warnings, arena, WARNING_UNFIT_FEW_QUIET,
                                "unfit: the core was shared for %.0f %% of the samples, and only %zu of %zu processes "
                                "had it alone for long enough. %s",
                                shared, facts->n_quiet, facts->n_wanted, later);
                break;
        case DISTURBANCE_PLACE:
                warning_add(warnings, arena, WARNING_UNFIT_PLACE,
                                "unfit: the core was shared for %.0f %% of the samples, and at %zu of the places within "
                                "a cache line no process had it alone, so their times are missing from the mean. %s",
                                shared, facts->n_places_missing, later);
                break;
        case DISTURBANCE_HIDDEN:
                warning_add(warnings, arena, WARNING_UNFIT_HIDDEN,
                                "unfit: the core was shared for %.0f %% of the samples, and visits that no probe saw may "
                                "have moved the time by %.2g %%. %s",
                                shared, 100 * expm1(facts->contaminated), later);
                break;
        default:
                break;
        }
        if (disturbance_is_unwatched(disturbance))
                warning_add(warnings, arena, WARNING_UNWATCHED,
                                "no probe watched its core: how many samples had it alone is not known, and a busy neighbour "
                                "would not be seen");
}

static int disturbance_report_switched_off(const Disturbance *disturbance, const DisturbanceFacts *facts, Arena *arena,
                Benchd__Disturbed *message, WarningList *warnings) {
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
                                facts->own_threads
                                                ? "the code itself, or one of its threads, leaves the core slower than it found "
                                                  "it, which looks like a busy neighbour: neighbours are not marked"
                                                : "the code itself leaves the core slower than it found it (wide vector units, "
                                                  "cold caches), which looks like a busy neighbour: neighbours are not marked" },
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

/* Each count has the name of its mark. A probe's have a condition of their own, or are told by the share of quiet samples. */
static void disturbance_report_marks(const Disturbance *disturbance, Benchd__Disturbed *message) {
        for (size_t i = 0; i < MARKS_N; i++)
                if (!(MARKS_SHARED >> i & 1))
                        message_set_count(&message->base, mark_at(i)->word, disturbance->n_marked[i]);
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
        if (disturbance->n_quiet > 0)
                message_set_finite(message, hidden_share, disturbance->n_hidden / disturbance->n_quiet);
}

int disturbance_report(const Disturbance *disturbance, const DisturbanceFacts *facts, Arena *arena,
                Benchd__Disturbed **ret_message, WarningList *warnings) {
        const DisturbanceVerdict verdict = disturbance_judge(disturbance, facts);
        Benchd__Disturbed *message;

        if (disturbance->n_samples == 0)
                return 0;
        disturbance_warn(disturbance, facts, verdict, arena, warnings);
        if (disturbance->detectors == 0 && disturbance->probes == SAMPLE_PROBES_NONE && disturbance->n_shared == 0)
                return 0;
        message = message_new(arena, Benchd__Disturbed, benchd__disturbed);
        if (!message)
                return error_origin(-ENOMEM);
        message_set_finite(message, fraction, (double)disturbance->n_disturbed / disturbance->n_samples);
        if (!disturbance_is_unwatched(disturbance))
                message_set_finite(message, quiet, (double)disturbance->n_watched_quiet / disturbance->n_watched);
        disturbance_report_marks(disturbance, message);
        disturbance_report_probes(disturbance, message);
        message_set(message, unfit, verdict > DISTURBANCE_UNTOLD);
        if (!disturbance_is_unwatched(disturbance))
                message_set(message, quiet_processes, facts->n_quiet);
        message_set_finite(message, hidden_bound, expm1(facts->contaminated));
        *ret_message = message;
        return error_trace(disturbance_report_switched_off(disturbance, facts, arena, message, warnings));
}
