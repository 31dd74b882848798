/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/behaviour.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/samples/instruments.h"
#include "ops/block.h"
#include "util/cleanup.h"
#include "util/error.h"

static uint64_t larger(uint64_t a, uint64_t b) {
        return a > b ? a : b;
}

/* The addresses within one huge page of zeros have memory of their own each. A second such page has the same. */
static bool is_unwritten(const SampleBlock *block) {
        const uint64_t own = block->unwritten_huge_bytes < BEHAVIOUR_HUGE_PAGE ? block->unwritten_huge_bytes
                                                                               : BEHAVIOUR_HUGE_PAGE;

        return block->unwritten_bytes - own >= BEHAVIOUR_UNWRITTEN_MIN &&
               block->unwritten_bytes >= BEHAVIOUR_UNWRITTEN_SHARE * block->mapped_bytes;
}

void behaviour_add(Behaviour *behaviour, const SampleBlock *block) {
        const SampleConduct *of = &block->conduct;

        behaviour->sum.changed |= of->changed;
        behaviour->sum.threads |= of->threads;
        behaviour->others_permille += of->others_permille;
        behaviour->sum.n_blocked += of->n_blocked;
        behaviour->n_traced += of->tracer == SAMPLE_TRACER_ATTACHED;
        behaviour->n_untold += of->tracer == SAMPLE_TRACER_UNKNOWN;
        behaviour->n_processes++;
        behaviour->instruments |= block->instruments.present;
        behaviour->files |= block->files;
        if (!*behaviour->preloaded)
                memcpy(behaviour->preloaded, block->instruments.preloaded, sizeof behaviour->preloaded);
        behaviour->n_mapped += block->mapped_bytes > 0;
        behaviour->n_unwritten += is_unwritten(block);
        behaviour->unwritten_bytes = larger(behaviour->unwritten_bytes, block->unwritten_bytes);
        behaviour->n_left_fifo += block->left_fifo != 0;
        behaviour->n_fifo += block->left_fifo == 0 && block->fifo_windows > 0;
        behaviour->writing_samples += of->writing_samples;
        behaviour->blocking_samples +=
                        block->cpu_step_ns > 0 ? 0 : of->blocking_samples; /* no CPU time is spent in waiting */
        behaviour->n_samples += block->n_samples;
        for (uint32_t i = 0; i < block->n_samples; i++) {
                behaviour->n_threads = larger(behaviour->n_threads, block->samples[i].thread + 1);
                behaviour->pauses |= block->samples[i].paused_ticks > 0;
        }
}

static void report_changes(uint32_t changed, Arena *arena, WarningList *warnings) {
        static const struct {
                uint32_t change;
                WarningKind kind;
                const char *words;
        } rows[] = {
                { CONDUCT_AFFINITY, WARNING_CHANGED_AFFINITY,
                                "it changed its own affinity: it may have run on CPUs that others use. Choose CPUs with --cpus" },
                { CONDUCT_POLICY, WARNING_CHANGED_SCHEDULING,
                                "it changed its own scheduling policy: other programs could take the CPU within a "
                                "sample. Leave it as benchd sets it" },
                { CONDUCT_NICE, WARNING_CHANGED_SCHEDULING,
                                "it changed its own nice value: other programs could take the CPU within a sample. Leave it as "
                                "benchd sets it" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (changed & rows[i].change)
                        warning_add(warnings, arena, rows[i].kind, "%s", rows[i].words);
}

int behaviour_traced(const Behaviour *behaviour, bool *ret_traced) {
        if (behaviour->n_traced == 0 && behaviour->n_untold > 0)
                return BEHAVIOUR_E_UNKNOWN;
        *ret_traced = behaviour->n_traced > 0;
        return 0;
}

uint32_t behaviour_instruments(const Behaviour *behaviour) {
        return behaviour->instruments | (behaviour->n_traced > 0 ? INSTRUMENT_TRACER : 0);
}

int behaviour_list_files(const Behaviour *behaviour, Arena *arena, char ***ret_words, size_t *ret_n) {
        const char *words[FILE_KINDS_MAX];
        const size_t n = block_file_kind_words(behaviour->files, words);
        char **list = arena_zero(arena, FILE_KINDS_MAX * sizeof *list);

        if (!list)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                list[i] = (char *)words[i];
        *ret_words = list;
        *ret_n = n;
        return 0;
}

int behaviour_unwritten(const Behaviour *behaviour, uint64_t *ret_bytes) {
        if (behaviour->n_mapped == 0)
                return BEHAVIOUR_E_UNKNOWN;
        *ret_bytes = behaviour->unwritten_bytes;
        return 0;
}

/* A process may read its data before it writes them; what most of them do is the benchmark's. */
static void report_unwritten(const Behaviour *behaviour, Arena *arena, WarningList *warnings) {
        const uint64_t kib = behaviour->unwritten_bytes >> 10;
        const bool large = kib >= 10240;

        if (2 * behaviour->n_unwritten > behaviour->n_processes)
                warning_add(warnings, arena, WARNING_UNWRITTEN_MEMORY,
                                "%" PRIu64
                                " %s of the memory that it read was never written: the kernel maps one page of "
                                "zeros, which is always cached, for all of it. Write it before the loop, unless the "
                                "program that it stands for reads it so",
                                large ? kib >> 10 : kib, large ? "MiB" : "KiB");
}

/* The scheduling of a body that waits, where the machine grants SCHED_FIFO at all. */
static const char *waiting_words(const Behaviour *behaviour) {
        if (behaviour->n_left_fifo > 0)
                return ". It ran without SCHED_FIFO for that, and with the timer slack of any program (50 µs)";
        return behaviour->n_fifo > 0
                               ? ". Timers have no slack at SCHED_FIFO: in a program each sleep lasts some 50 µs longer "
                                 "(--prepare=none)"
                               : "";
}

int behaviour_own_threads(const Behaviour *behaviour, double *ret_cpus) {
        if (behaviour->n_processes == 0 || behaviour->n_threads != 1)
                return BEHAVIOUR_E_UNKNOWN;
        *ret_cpus = (double)behaviour->others_permille / behaviour->n_processes / 1000;
        return 0;
}

bool behaviour_has_own_threads(const Behaviour *behaviour) {
        double cpus;

        return behaviour_own_threads(behaviour, &cpus) == 0 && cpus >= BEHAVIOUR_OWN_THREADS;
}

/*
 * Threads that run on CPUs of their own are the benchmark's wish, as are those that live and sleep. Those that are gone were most often for
 * the set-up alone.
 */
static void report_threads(const Behaviour *behaviour, Arena *arena, WarningList *warnings) {
        const uint32_t threads = behaviour->sum.threads;
        double cpus = 0;

        (void)behaviour_own_threads(behaviour, &cpus);
        if (behaviour_has_own_threads(behaviour) && (threads & CONDUCT_THREADS_CPU))
                warning_add(warnings, arena, WARNING_OTHER_THREADS,
                                "threads that it started ran for %.0f %% of its loop's time, on the one CPU that the run had: "
                                "the thread that is measured took turns with them. Lend CPUs to them "
                                "(--cpus-per-run=2 or more, or .cpus), or join them before the loop",
                                100 * cpus);
        else if ((threads & CONDUCT_THREADS_POOL) && (threads & CONDUCT_THREADS_CPU) && behaviour->n_threads == 1)
                warning_add(warnings, arena, WARNING_ONE_CPU,
                                "a library that makes as many threads as it finds CPUs (OpenMP, TBB, OpenBLAS) is loaded, and the "
                                "run had one CPU: what it does in parallel ran in one thread. Lend CPUs to it "
                                "(--cpus-per-run=2 or more, or .cpus)");
        else if ((threads & CONDUCT_THREADS_WERE) && !(threads & CONDUCT_THREADS_ARE) &&
                        !behaviour_has_own_threads(behaviour) && behaviour->n_threads == 1)
                warning_add(warnings, arena, WARNING_STARTED_THREADS,
                                "the module started threads: a process that ever had several takes longer to allocate "
                                "and to count references. Start none if the program that it stands for has none");
}

void behaviour_report(const Behaviour *behaviour, Arena *arena, WarningList *warnings) {
        instruments_report(behaviour_instruments(behaviour), behaviour->preloaded, arena, warnings);
        report_unwritten(behaviour, arena, warnings);
        report_changes(behaviour->sum.changed, arena, warnings);
        report_threads(behaviour, arena, warnings);
        if (behaviour->writing_samples > 0)
                warning_add(warnings, arena, WARNING_PRINTS,
                                "it prints inside its loop, in %" PRIu64 " of %" PRIu64
                                " samples: printing is timed with it%s. Print after the loop",
                                behaviour->writing_samples, behaviour->n_samples,
                                behaviour->pauses ? ", but for what it prints in its pauses" : "");
        if (behaviour->blocking_samples > 0 && !behaviour_has_own_threads(behaviour)) /* which it waits for */
                warning_add(warnings, arena, WARNING_WAITS,
                                "it sleeps or waits inside its loop, in %" PRIu64 " of %" PRIu64 " samples (%" PRIu64
                                " times): waiting is timed with it%s%s. Move it out, unless it is what you measure",
                                behaviour->blocking_samples, behaviour->n_samples, behaviour->sum.n_blocked,
                                behaviour->pauses ? ", but for that in its pauses" : "", waiting_words(behaviour));
}

/* ---- the company of its threads */

static bool batch_is_together(const Sample *samples, uint32_t n_threads) {
        double first_start = INFINITY, last_start = 0, first_stop = INFINITY, last_stop = 0;

        for (uint32_t i = 0; i < n_threads; i++) {
                double start = samples[i].start_ticks, stop = start + samples[i].ticks;

                first_start = fmin(first_start, start);
                last_start = fmax(last_start, start);
                first_stop = fmin(first_stop, stop);
                last_stop = fmax(last_stop, stop);
        }
        return first_stop - last_start >= BEHAVIOUR_TOGETHER * (last_stop - first_start);
}

void behaviour_add_batches(BehaviourBatches *batches, const Sample *samples, size_t n, uint32_t n_threads) {
        for (size_t i = 0; i + n_threads <= n; i += n_threads) {
                batches->n++;
                batches->n_together += batch_is_together(samples + i, n_threads);
        }
}

double behaviour_share_together(const BehaviourBatches *batches) {
        return batches->n > 0 ? (double)batches->n_together / batches->n : 1;
}
