/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/kept-samples.h"

#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/samples/sample.h"
#include "util/error.h"

static void process_clear(KeptProcess *process) {
        free(process->at_ns);
        free(process->time_ns);
        free(process->marks);
        free(process->thread);
        for (size_t i = 0; i < process->n_counts; i++)
                free(process->counts[i].values);
        free(process->counts);
        *process = (KeptProcess){};
}

void kept_samples_deinit(KeptSamples *kept) {
        for (size_t i = 0; i < kept->n; i++)
                process_clear(&kept->processes[i]);
        free(kept->processes);
        *kept = (KeptSamples){};
}

uint64_t kept_samples_origin(const SampleBlock *blocks, size_t n_sides) {
        uint64_t origin_ticks = UINT64_MAX;

        for (size_t side = 0; side < n_sides; side++)
                for (uint32_t i = 0; i < blocks[side].n_samples; i++)
                        if (blocks[side].samples[i].start_ticks < origin_ticks)
                                origin_ticks = blocks[side].samples[i].start_ticks;
        return origin_ticks;
}

static int process_new(const SampleBlock *block, KeptProcess *ret_process) {
        const size_t n = block->n_samples;
        KeptProcess process = {
                .at_ns = calloc(n, sizeof *process.at_ns),
                .time_ns = calloc(n, sizeof *process.time_ns),
                .marks = calloc(n, sizeof *process.marks),
                .thread = block->n_threads > 1 ? calloc(n, sizeof *process.thread) : NULL,
                .n = n,
        };

        if (!process.at_ns || !process.time_ns || !process.marks || (block->n_threads > 1 && !process.thread)) {
                process_clear(&process);
                return error_origin(-ENOMEM);
        }
        *ret_process = process;
        return 0;
}

#define COUNTS_BESIDE 16u /* bytes in the message beside the name and the values */

static size_t counts_bytes(const SampleBlock *block) {
        size_t n = 0;

        for (uint32_t i = 0; i < block->n_counted; i++)
                n += strlen(block->counted[i]) + block->n_samples * sizeof(double) + COUNTS_BESIDE;
        return n;
}

/* A process has counts of all its samples or none. */
static int add_counts(KeptSamples *kept, const SampleBlock *block, KeptProcess *process) {
        const size_t n_bytes = counts_bytes(block);

        if (n_bytes == 0 || block->n_samples > SAMPLE_BLOCK_COUNTED_MAX ||
                        kept->n_counts_bytes + n_bytes > KEPT_COUNTS_BYTES_MAX)
                return 0;
        process->counts = calloc(block->n_counted, sizeof *process->counts);
        if (!process->counts)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_counted; i++) {
                KeptCounts *counts = &process->counts[process->n_counts];

                memcpy(counts->name, block->counted[i], sizeof counts->name);
                counts->values = calloc(block->n_samples, sizeof *counts->values);
                if (!counts->values)
                        return error_origin(-ENOMEM);
                process->n_counts++;
                for (uint32_t k = 0; k < block->n_samples; k++)
                        counts->values[k] = block->counts[k][i];
        }
        kept->n_counts_bytes += n_bytes;
        return 0;
}

int kept_samples_add(KeptSamples *kept, const SampleBlock *block, uint64_t origin_ticks, bool takes_off_loop,
                const ClockFacts *clock) {
        const double off_ns = takes_off_loop ? sample_loop_cost(block, clock).ns : 0;
        KeptProcess *grown, process;
        int r;

        grown = reallocarray(kept->processes, kept->n + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        kept->processes = grown;
        r = process_new(block, &process);
        if (r)
                return error_trace(r);
        r = add_counts(kept, block, &process);
        if (r) {
                process_clear(&process);
                return error_trace(r);
        }
        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];

                process.at_ns[i] = message_whole(sample_ticks_to_ns(sample->start_ticks - origin_ticks, clock));
                process.time_ns[i] = sample_operation_ns(block, sample, clock) - off_ns;
                process.marks[i] = sample_marks(sample);
                if (process.thread)
                        process.thread[i] = sample->thread;
        }
        kept->processes[kept->n++] = process;
        return 0;
}

static void *arena_copy(Arena *arena, const void *values, size_t n_bytes) {
        void *copy = arena_zero(arena, n_bytes);

        return copy ? memcpy(copy, values, n_bytes) : NULL;
}

static int report_counts(const KeptProcess *process, Arena *arena, Benchd__Samples *samples) {
        samples->counters = arena_zero(arena, process->n_counts * sizeof *samples->counters);
        if (!samples->counters)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < process->n_counts; i++) {
                Benchd__SampleCounts *counts = message_new(arena, Benchd__SampleCounts, benchd__sample_counts);

                if (!counts)
                        return error_origin(-ENOMEM);
                counts->name = arena_text(arena, process->counts[i].name);
                counts->n_values = process->n;
                counts->values = arena_copy(arena, process->counts[i].values, process->n * sizeof *counts->values);
                samples->counters[samples->n_counters++] = counts;
        }
        return 0;
}

int kept_samples_report(const KeptSamples *kept, Arena *arena, Benchd__BenchmarkResult *result) {
        for (size_t i = 0; i < kept->n && i < result->n_processes; i++) {
                const KeptProcess *of = &kept->processes[i];
                Benchd__Samples *samples = message_new(arena, Benchd__Samples, benchd__samples);

                if (!samples)
                        return error_origin(-ENOMEM);
                samples->n_at_ns = samples->n_time_ns = samples->n_marks = of->n;
                samples->n_thread = of->thread ? of->n : 0;
                samples->at_ns = arena_copy(arena, of->at_ns, of->n * sizeof *of->at_ns);
                samples->time_ns = arena_copy(arena, of->time_ns, of->n * sizeof *of->time_ns);
                samples->marks = arena_copy(arena, of->marks, of->n * sizeof *of->marks);
                if (of->thread)
                        samples->thread = arena_copy(arena, of->thread, of->n * sizeof *of->thread);
                if (of->n_counts > 0 && report_counts(of, arena, samples))
                        return error_origin(-ENOMEM);
                result->processes[i]->samples = samples;
        }
        return error_trace(arena_check(arena));
}
