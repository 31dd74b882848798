/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/conduct.h"

#include <inttypes.h>

#include "util/cleanup.h"

static uint32_t larger(uint32_t a, uint32_t b) {
        return a > b ? a : b;
}

void conduct_add(Conduct *conduct, const SampleBlock *block) {
        const SampleConduct *of = &block->conduct;

        conduct->sum.changed |= of->changed;
        conduct->sum.was_threaded |= of->was_threaded;
        conduct->sum.other_threads = larger(conduct->sum.other_threads, of->other_threads);
        conduct->sum.n_blocked += of->n_blocked;
        conduct->n_traced += of->tracer == SAMPLE_TRACER_ATTACHED;
        conduct->n_untold += of->tracer == SAMPLE_TRACER_UNKNOWN;
        conduct->writing_samples += of->writing_samples;
        conduct->blocking_samples += of->blocking_samples;
        conduct->n_samples += block->n_samples;
        for (uint32_t i = 0; i < block->n_samples; i++) {
                conduct->n_threads = larger(conduct->n_threads, block->samples[i].thread + 1);
                conduct->pauses |= block->samples[i].paused_ticks > 0;
        }
}

static void report_changes(uint32_t changed, Arena *arena, TextList *warnings) {
        static const struct {
                uint32_t change;
                const char *words;
        } rows[] = {
                { CONDUCT_AFFINITY,
                                "it changed its own affinity: it may not have run where nothing else does. Choose with --cpus" },
                { CONDUCT_POLICY,
                                "it changed its own scheduling policy: other programs could take the CPU within a sample. Leave "
                                "it as benchd sets it" },
                { CONDUCT_NICE, "it changed its own nice value: other programs could take the CPU within a sample. Leave it as "
                                "benchd sets it" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (changed & rows[i].change)
                        text_list_add(warnings, arena, "%s", rows[i].words);
}

/* A benchmark of several threads has them by its own wish. */
static void report_threads(const Conduct *conduct, Arena *arena, TextList *warnings) {
        if (conduct->sum.other_threads > 0)
                text_list_add(warnings, arena,
                                "measured in a process of several threads: %" PRIu32
                                " that the module started ran beside the loop. Join them before it, or measure them too (.threads)",
                                conduct->sum.other_threads);
        else if (conduct->sum.was_threaded && conduct->n_threads == 1)
                text_list_add(warnings, arena,
                                "the module started threads: a process that ever had several takes longer to allocate and "
                                "to count references. Start none, if the program that it stands for has none");
}

int conduct_traced(const Conduct *conduct, bool *ret_traced) {
        if (conduct->n_traced == 0 && conduct->n_untold > 0)
                return CONDUCT_E_UNKNOWN;
        *ret_traced = conduct->n_traced > 0;
        return 0;
}

void conduct_report(const Conduct *conduct, Arena *arena, TextList *warnings) {
        if (conduct->n_traced > 0)
                text_list_add(warnings, arena,
                                "a debugger or tracer was attached: each stop is timed too. Detach it and run again");
        report_changes(conduct->sum.changed, arena, warnings);
        report_threads(conduct, arena, warnings);
        if (conduct->writing_samples > 0)
                text_list_add(warnings, arena,
                                "it prints inside its loop, in %" PRIu64 " of %" PRIu64
                                " samples: printing is timed with it%s. Print after the loop",
                                conduct->writing_samples, conduct->n_samples,
                                conduct->pauses ? ", but for what it prints in its pauses" : "");
        if (conduct->blocking_samples > 0)
                text_list_add(warnings, arena,
                                "it sleeps or waits inside its loop, in %" PRIu64 " of %" PRIu64 " samples (%" PRIu64
                                " times): waiting is timed with it%s. Move it out, unless it is what you measure",
                                conduct->blocking_samples, conduct->n_samples, conduct->sum.n_blocked,
                                conduct->pauses ? ", but for that in its pauses" : "");
}
