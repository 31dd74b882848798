/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/block.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "ops/inspection-block.h"
#include "ops/ops.h"
#include "util/cleanup.h"
#include "util/module-links.h"

/* Writes the word of each bit of @bits. Returns their number. */
static size_t bit_words(uint32_t bits, const char *const words[], size_t n_words, const char *ret_words[]) {
        size_t n = 0;

        for (size_t bit = 0; bit < n_words; bit++)
                if (bits & (1u << bit))
                        ret_words[n++] = words[bit];
        return n;
}

size_t block_file_kind_words(uint32_t kinds, const char *ret_words[static FILE_KINDS_MAX]) {
        static const char *const words[FILE_KINDS_MAX] = { "memory", "memory-changed", "disk", "socket", "pipe",
                "device", "event" };

        return bit_words(kinds, words, FILE_KINDS_MAX, ret_words);
}

size_t sample_instrument_words(uint32_t present, const char *ret_words[static INSTRUMENTS_MAX]) {
        static const char *const words[INSTRUMENTS_MAX] = { "tracer", "preloaded-library", "LD_AUDIT", "LD_PROFILE",
                "profiling", "function-hooks", "coverage", "address-sanitizer", "thread-sanitizer", "memory-sanitizer",
                "undefined-sanitizer", "valgrind" };

        return bit_words(present, words, INSTRUMENTS_MAX, ret_words);
}

static bool string_ended(const char *text, size_t n) {
        return memchr(text, 0, n);
}

/* Names become parts of paths in filters and reports. */
static bool name_valid(const char *name, size_t n, bool may_be_empty) {
        if (!string_ended(name, n) || (!*name && !may_be_empty))
                return false;
        for (; *name; name++)
                if (!isalnum((unsigned char)*name) && !strchr("_.-+", *name))
                        return false;
        return true;
}

size_t block_size(const RunnerPlan *plan) {
        switch (plan->mode) {
        case RUNNER_MODE_LIST:
                return sizeof(ListingBlock);
        case RUNNER_MODE_CALIBRATE:
                return sizeof(CalibrationBlock);
        case RUNNER_MODE_MEMORY:
                return sizeof(MemoryBlock);
        case RUNNER_MODE_INSPECT:
                return sizeof(InspectionBlock);
        default:
                return plan->n_sides * sizeof(SampleBlock) + (plan->n_sides > 1 ? BLOCK_LOCKSTEP_BYTES : 0);
        }
}

static bool place_valid(const BlockCrashPlace *place) {
        return string_ended(place->symbol, sizeof place->symbol) && string_ended(place->file, sizeof place->file);
}

static bool crash_valid(const BlockCrash *crash) {
        return crash->access < _CRASH_ACCESS_N && place_valid(&crash->at) && place_valid(&crash->caller);
}

bool block_head_is_valid(const BlockHead *head) {
        return head->magic == SAMPLE_BLOCK_MAGIC && head->version == SAMPLE_BLOCK_VERSION &&
               head->phase < _RUNNER_PHASE_N && head->end <= RUNNER_END_INTERNAL &&
               string_ended(head->message, sizeof head->message) && crash_valid(&head->crash);
}

static bool amount_valid(double amount) {
        return isfinite(amount) && amount >= 0;
}

static bool manual_valid(double ns) {
        return ns == 0 || (ns >= SAMPLE_MANUAL_MIN_NS && ns <= SAMPLE_MANUAL_MAX_NS);
}

/* A time that a clock of the kernel can return, so that results stay finite. */
static bool cpu_time_valid(double ns) {
        return ns >= 0 && ns <= SAMPLE_MANUAL_MAX_NS;
}

static bool sample_valid(const Sample *sample, uint32_t n_threads) {
        return sample->iterations > 0 && sample->ticks > 0 && sample->paused_ticks <= sample->ticks &&
               sample->thread < n_threads && (sample->counters & ~_COUNTERS) == 0 && manual_valid(sample->manual_ns);
}

static bool samples_valid(const Sample *samples, uint32_t n, uint32_t n_threads) {
        for (uint32_t i = 0; i < n; i++)
                if (!sample_valid(&samples[i], n_threads))
                        return false;
        return true;
}

/*
 * In a @complete run every iteration has at least one operation; an incomplete one may have ended because of an invalid
 * number.
 */
static bool threads_valid(const SampleThread *threads, uint32_t n, bool complete) {
        for (uint32_t i = 0; i < n; i++)
                if (!amount_valid(threads[i].ops_per_iteration) || !amount_valid(threads[i].items_per_iteration) ||
                                !amount_valid(threads[i].bytes_per_iteration) ||
                                (complete && !(threads[i].ops_per_iteration >= 1 &&
                                                             threads[i].ops_per_iteration <= SAMPLE_OPS_MAX)))
                        return false;
        return true;
}

static bool trace_valid(const SampleTracePhase *trace, uint32_t n) {
        for (uint32_t i = 0; i < n; i++)
                if (trace[i].phase >= _RUNNER_PHASE_N)
                        return false;
        return true;
}

static bool counts_valid(const SampleBlock *block) {
        if (block->n_counted > SAMPLE_BLOCK_COUNTERS_MAX)
                return false;
        for (uint32_t i = 0; i < block->n_counted; i++) {
                if (!name_valid(block->counted[i], sizeof block->counted[i], false))
                        return false;
                for (uint32_t k = 0; k < sample_block_n_counted(block); k++)
                        if (!isfinite(block->counts[k][i]))
                                return false;
        }
        return true;
}

double sample_block_ops(const SampleBlock *block, const Sample *sample) {
        return block->threads[sample->thread].ops_per_iteration;
}

int sample_block_check(const SampleBlock *block) {
        const bool complete = block->head.end == RUNNER_END_COMPLETE;

        if (!block_head_is_valid(&block->head))
                return SAMPLE_BLOCK_E_INVALID;
        if (block->memory_lock > OPS_OUTCOME_OMITTED || block->probes >= _SAMPLE_PROBES_N || !amount_valid(block->rise))
                return SAMPLE_BLOCK_E_INVALID;
        if (!cpu_time_valid(block->cpu_cost_ns) || !cpu_time_valid(block->cpu_step_ns))
                return SAMPLE_BLOCK_E_INVALID;
        if (!string_ended(block->label, sizeof block->label))
                return SAMPLE_BLOCK_E_INVALID;
        if (block->files & ~_FILE_KINDS)
                return SAMPLE_BLOCK_E_INVALID;
        if (block->conduct.tracer >= _SAMPLE_TRACER_N || (block->instruments.present & ~_INSTRUMENTS) ||
                        !name_valid(block->instruments.preloaded, sizeof block->instruments.preloaded, true) ||
                        block->unwritten_bytes > block->mapped_bytes ||
                        block->unwritten_huge_bytes > block->unwritten_bytes)
                return SAMPLE_BLOCK_E_INVALID;
        if (block->image_state >= _IMAGE_STATE_N || block->n_links > MODULE_LINKS_MAX ||
                        block->image_offset_bytes >= RUNNER_IMAGE_OFFSET_MAX || block->image_offset_bytes % 16)
                return SAMPLE_BLOCK_E_INVALID;
        if (block->n_samples > RUNNER_SAMPLES_MAX || block->n_counters > SAMPLE_BLOCK_COUNTERS_MAX ||
                        block->n_loop_samples > RUNNER_LOOP_SAMPLES_MAX || block->n_trace > RUNNER_TRACE_MAX)
                return SAMPLE_BLOCK_E_INVALID;
        if (block->n_threads > RUNNER_THREADS_MAX || !threads_valid(block->threads, block->n_threads, complete))
                return SAMPLE_BLOCK_E_INVALID;
        for (uint32_t i = 0; i < block->n_counters; i++)
                if (!name_valid(block->counters[i].name, sizeof block->counters[i].name, false) ||
                                !isfinite(block->counters[i].value))
                        return SAMPLE_BLOCK_E_INVALID;
        if (!counts_valid(block))
                return SAMPLE_BLOCK_E_INVALID;
        if (!samples_valid(block->samples, block->n_samples, block->n_threads) ||
                        !samples_valid(block->loop_samples, block->n_loop_samples, block->n_threads) ||
                        !trace_valid(block->trace, block->n_trace))
                return SAMPLE_BLOCK_E_INVALID;
        if (complete && block->n_samples == 0)
                return SAMPLE_BLOCK_E_INVALID;
        return 0;
}

ArgumentValue listing_axis_value(const ListingAxis *axis, uint32_t index) {
        if (axis->kind == ARGUMENT_REAL)
                return argument_real(axis->reals[index]);
        if (axis->kind == ARGUMENT_TEXT)
                return argument_text(axis->texts[index]);
        return argument_integer(axis->integers[index]);
}

static bool range_valid(const ListingAxis *axis) {
        const uint64_t length = (uint64_t)axis->last - (uint64_t)axis->first;

        if (axis->kind != ARGUMENT_INTEGER || axis->last < axis->first)
                return false;
        if (axis->factor == 0)
                return axis->step > 0 &&
                       (length / (uint64_t)axis->step) + (length % (uint64_t)axis->step > 0) < LISTING_STEPS_MAX;
        return axis->first > 0 && axis->factor >= 2;
}

static bool axis_valid(const ListingAxis *axis) {
        if (!name_valid(axis->name, sizeof axis->name, false) || axis->n_values > LISTING_VALUES_MAX ||
                        axis->kind >= _ARGUMENT_KIND_N)
                return false;
        for (uint32_t i = 0; i < axis->n_values; i++) {
                const ArgumentValue value = listing_axis_value(axis, i);

                if (!argument_is_valid(&value) ||
                                (axis->kind == ARGUMENT_TEXT && !string_ended(axis->texts[i], ARGUMENT_TEXT_MAX)))
                        return false;
        }
        return axis->n_values > 0 || range_valid(axis);
}

static bool entry_valid(const ListingEntry *entry) {
        if (!name_valid(entry->area, sizeof entry->area, false) ||
                        !name_valid(entry->name, sizeof entry->name, false) ||
                        !string_ended(entry->title, sizeof entry->title) ||
                        !string_ended(entry->about, sizeof entry->about) ||
                        !name_valid(entry->method, sizeof entry->method, true))
                return false;
        if (entry->n_axes > RUNNER_ARGS_MAX || entry->n_threads > LISTING_THREADS_MAX ||
                        entry->cpus > RUNNER_THREADS_MAX)
                return false;
        for (uint32_t i = 0; i < entry->n_axes; i++)
                if (!axis_valid(&entry->axes[i]))
                        return false;
        return true;
}

int listing_block_check(const ListingBlock *block) {
        if (!block_head_is_valid(&block->head) || !string_ended(block->compiler, sizeof block->compiler) ||
                        block->n_entries > LISTING_ENTRIES_MAX)
                return SAMPLE_BLOCK_E_INVALID;
        for (uint32_t i = 0; i < block->n_entries; i++)
                if (!entry_valid(&block->entries[i]))
                        return SAMPLE_BLOCK_E_INVALID;
        return 0;
}

static bool checks_valid(const ClockChecks *checks) {
        if (checks->n > CLOCK_CHECKS_MAX)
                return false;
        for (uint32_t i = 0; i < checks->n; i++)
                if (!isfinite(checks->rows[i].hz) || checks->rows[i].hz <= 0)
                        return false;
        return true;
}

int calibration_block_check(const CalibrationBlock *block) {
        const ClockFacts *clock = &block->clock;

        if (!block_head_is_valid(&block->head))
                return SAMPLE_BLOCK_E_INVALID;
        if (block->head.end != RUNNER_END_COMPLETE)
                return 0;
        if (!isfinite(clock->hz) || clock->hz < 1e6 || clock->hz > 1e11 || !isfinite(clock->error_ppm) ||
                        !isfinite(clock->quantum_ticks) || clock->quantum_ticks < 1 ||
                        !isfinite(clock->batch_cost_ticks) || clock->batch_cost_ticks < 0 ||
                        !isfinite(clock->pair_cost_ticks) || clock->pair_cost_ticks < 0 ||
                        !isfinite(clock->led_cost_ticks) || clock->led_cost_ticks < 0 ||
                        !isfinite(clock->pause_cycles_per_tick) || clock->pause_cycles_per_tick < 0 ||
                        !isfinite(clock->pause_cost_ticks) || !isfinite(clock->ruler_cost_ticks) ||
                        !isfinite(clock->ruler_check) || !isfinite(clock->baseline_ns) ||
                        !isfinite(clock->branch_cycles) || !isfinite(clock->ports_cycles) ||
                        !checks_valid(&block->checks) || (clock->counters & ~_COUNTERS) ||
                        (clock->missing & ~_CLOCK_MISSING) || (block->suspects_found & ~block->suspects_tested))
                return SAMPLE_BLOCK_E_INVALID;
        return 0;
}

int memory_block_check(const MemoryBlock *block) {
        if (!block_head_is_valid(&block->head) || block->state >= _MEMORY_STATE_N)
                return SAMPLE_BLOCK_E_INVALID;
        if (block->head.end == RUNNER_END_COMPLETE && block->state == MEMORY_STATE_COUNTED && block->iterations == 0)
                return SAMPLE_BLOCK_E_INVALID;
        return 0;
}

static const RunnerEndWords end_words[] = {
        { RUNNER_END_BREAK, "break", "Its loop was left by break, so the batch was never finished",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_RETURN, "return", "Its loop was left by return or goto, so the batch was never finished",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_JUMP, "jump", "Its loop was left by longjmp, so the batch was never finished",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_EXCEPTION, "exception", "A C++ exception left the benchmark", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_NO_LOOP, "no-loop", "It has no bench_loop(), or ended before it: there is nothing to time",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_SECOND_LOOP, "second-loop", "It has two bench_loop(), and a benchmark has one",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_FAILED, "failed", "It called bench_fail", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_SKIPPED, "skipped", "It called bench_skip", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_MISUSE, "misuse", "It uses bench.h in a way that cannot be timed", RUNNER_END_BLAME_BENCHMARK,
                        .words_alone = true },
        { RUNNER_END_UNSUPPORTED, "unsupported", "It asks for a feature that this benchd does not have",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_THREAD, "thread", "It ended one of its threads itself", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_THREAD_LEFT, "thread-left",
                        "Threads that it started within its loop still ran when the batch was over, in more than 16 batches: "
                        "join each where it was started, or keep a pool",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_CHILD, "child",
                        "A child that it forked (fork, daemon) left the iteration as its parent does: end the child with _exit(), or by "
                        "exec, where the fork is",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_DESCRIPTORS, "descriptors",
                        "It closed or replaced descriptors of benchd's (closefrom, close_range, dup2): close those alone that "
                        "it opened itself",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_DIRECTORY, "directory", "Its directory cannot be made (--dir)", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_SEE, "see", "A path that it is to see cannot be opened (--see)", RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_NO_SUCH_BENCHMARK, "vanished", "The module did not hold it when it was loaded again",
                        RUNNER_END_BLAME_BENCHMARK },
        { RUNNER_END_NOT_ELF, "not-elf", "It is not a compiled module (not an ELF file)", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_MACHINE, "machine", "It is compiled for another architecture than x86-64",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_NOT_SHARED, "not-shared",
                        "It is an ELF file but not a shared object: compile it with -shared -fPIC, or measure a whole program "
                        "with 'benchctl exec'",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_LOAD, "load", "It cannot be loaded", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_LIBRARY, "library", "A library that came with it cannot be loaded", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_NO_BENCHMARKS, "no-benchmarks", "It holds no benchmark: write one with BENCH() of benchd/bench.h",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_HIDDEN, "hidden",
                        "It holds benchmarks but does not export benchd_module: add 'global: benchd_module;' to its version "
                        "script",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_NO_SECTIONS, "no-sections",
                        "It has no section headers, by which its benchmarks are found in its file: benchd can run it, and cannot "
                        "show its code. Keep those that the linker wrote",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_ABI, "abi", "It was compiled with another version of benchd/bench.h: compile it again",
                        RUNNER_END_BLAME_MODULE },
        { RUNNER_END_BAD_DESCRIPTOR, "bad-descriptor", "It declares an impossible benchmark", RUNNER_END_BLAME_MODULE },
        { RUNNER_END_CONFINE, "confine", "The runner could not give up its rights, so it loaded nothing",
                        RUNNER_END_BLAME_DAEMON },
        { RUNNER_END_INTERNAL, "internal", "The runner itself failed", RUNNER_END_BLAME_DAEMON },
};

const RunnerEndWords *runner_end_words(uint32_t end) {
        for (size_t i = 0; i < N_ELEMENTS(end_words); i++)
                if (end_words[i].end == end)
                        return &end_words[i];
        return NULL;
}
