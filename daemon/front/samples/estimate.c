/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/samples/amortised.h"
#include "front/samples/behaviour.h"
#include "front/samples/contamination.h"
#include "front/samples/core-counts.h"
#include "front/samples/disturbance.h"
#include "front/samples/empty-loop.h"
#include "front/samples/finding.h"
#include "front/samples/instruments.h"
#include "front/samples/quantity.h"
#include "front/samples/sample.h"
#include "front/samples/spread.h"
#include "front/samples/throughput.h"
#include "ops/window.h"
#include "stats/pool.h"
#include "stats/quantile.h"
#include "util/error.h"
#include "util/time.h"

#define ESTIMATE_STEPS_MIN 100 /* of the clock in a batch: fewer read it to over 1 % */

typedef struct EstimateProcess {
        double usual_ns; /* the median of its quiet samples; of all samples if it has none */
        double core_hz;  /* NaN: unavailable */
        QuantityConditions conditions;
        DisturbanceShares shares;
        double first_call_ns; /* NaN: none was taken */
        double warmup_ms;
        double start_stop_ns; /* the clock's step and the cost of a batch, an operation */
        double step_ns;       /* of the clock, an operation */
        double iterations;    /* a batch */
        uint32_t stack_offset_bytes;
        uint32_t environment_bytes;
        uint64_t user_ns;
        uint64_t system_ns;
        uint32_t loop_offset;
        uint32_t image_offset_bytes;
        uint32_t n_trace;
        SampleTracePhase trace[RUNNER_TRACE_MAX];
} EstimateProcess;

typedef struct EstimateCounter {
        char name[RUNNER_NAME_MAX];
        double sum;
        uint32_t n;
} EstimateCounter;

struct Estimate {
        Quantity time_ns;
        Quantity cycles;
        EmptyLoop empty;
        Spread spread;
        Amortised amortised;
        Disturbance disturbance;
        Behaviour behaviour;
        CoreCounts counts;
        Throughput throughput;
        EstimateProcess *processes;
        size_t n_processes;
        EstimateCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];
        size_t n_counters;
        char label[SAMPLE_BLOCK_LABEL_MAX]; /* of the first process that gave one; or empty */
        double ops_per_iteration;           /* of the first thread */
        double operations;
        uint64_t iterations;
        double elapsed_ns;
        uint64_t user_ns;
        uint64_t system_ns;
        double rise; /* of an iteration's time with the length of a batch, in the last process that had one */
        size_t n_rises;
        WarningKind long_batch; /* the warning of batches that do not fit a window */
        double longest_ns;      /* the longest batch of a process that had such, with its pauses; 0: all fit */
        uint64_t iterations_of_longest;
        bool crowded;
        bool takes_off_loop;
        bool is_nothing;     /* the body is the empty loop */
        bool manual;         /* a process told its times itself */
        bool by_cpu;         /* times are of the CPU */
        uint32_t inputs_max; /* prepared inputs that bounded a batch; 0: none did */
};

int estimate_new(Estimate **ret_estimate) {
        Estimate *estimate;

        estimate = calloc(1, sizeof *estimate);
        if (!estimate)
                return error_origin(-ENOMEM);
        estimate->long_batch = WARNING_LONG_BATCH;
        *ret_estimate = estimate;
        return 0;
}

Estimate *estimate_free(Estimate *estimate) {
        if (!estimate)
                return NULL;
        quantity_deinit(&estimate->time_ns);
        quantity_deinit(&estimate->cycles);
        empty_loop_deinit(&estimate->empty);
        spread_deinit(&estimate->spread);
        amortised_deinit(&estimate->amortised);
        core_counts_deinit(&estimate->counts);
        free(estimate->processes);
        free(estimate);
        return NULL;
}

void estimate_take_off_loop(Estimate *estimate) {
        estimate->takes_off_loop = true;
}

void estimate_set_long_batch(Estimate *estimate, WarningKind kind) {
        estimate->long_batch = kind;
}

void estimate_be_nothing(Estimate *estimate) {
        estimate->is_nothing = true;
}

uint32_t estimate_instruments(const Estimate *estimate) {
        return behaviour_instruments(&estimate->behaviour);
}

int estimate_medians_ns(const Estimate *estimate, EstimateMedians *ret_medians) {
        EstimateMedians medians = {
                .values = malloc((estimate->n_processes + 1) * sizeof *medians.values),
                .places = malloc((estimate->n_processes + 1) * sizeof *medians.places),
        };

        if (!medians.values || !medians.places) {
                estimate_medians_clear(&medians);
                return error_origin(-ENOMEM);
        }
        medians.n = quantity_medians(&estimate->time_ns, medians.values, medians.places);
        *ret_medians = medians;
        return 0;
}

void estimate_medians_clear(EstimateMedians *medians) {
        free(medians->values);
        free(medians->places);
}

bool estimate_last_is_quiet(const Estimate *estimate) {
        return isfinite(estimate->time_ns.processes[estimate->n_processes - 1].quiet);
}

double estimate_last_mean_ns(const Estimate *estimate) {
        const size_t last = estimate->n_processes - 1;

        return estimate->processes[last].usual_ns + estimate->amortised.extra_ns[last];
}

bool estimate_had_company(const Estimate *estimate) {
        return quantity_had_company(&estimate->time_ns);
}

bool estimate_is_blind(const Estimate *estimate) {
        return estimate->disturbance.blind;
}

double estimate_step(const Estimate *estimate) {
        double step = 0;

        for (size_t i = 0; i < estimate->n_processes; i++)
                step = fmax(step, estimate->processes[i].step_ns / estimate->processes[i].usual_ns);
        return step;
}

/* ---- one process */

static int estimate_reserve(Estimate *estimate, const SampleBlock *block) {
        EstimateProcess *processes;
        int r;

        r = quantity_reserve(&estimate->time_ns, block->n_samples, block->n_loop_samples);
        if (r == 0)
                r = quantity_reserve(&estimate->cycles, block->n_samples, block->n_loop_samples);
        if (r)
                return error_trace(r);
        processes = realloc(estimate->processes, (estimate->n_processes + 1) * sizeof *processes);
        if (!processes)
                return error_origin(-ENOMEM);
        estimate->processes = processes;
        return 0;
}

/*
 * Adds the samples of @block and of its empty loop, and writes the time of an operation of each into @ret_ns. A body that sleeps or
 * waits leaves the core to others, or to a lower frequency: it has no cycles.
 */
static void estimate_add_samples(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock,
                double *ret_ns) {
        const bool blocks = 2 * (uint64_t)block->conduct.waiting_samples > block->n_samples;
        const SampleLoopCost off = estimate->takes_off_loop ? sample_loop_cost(block, clock) : (SampleLoopCost){};

        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];
                double ns = sample_operation_ns(block, sample, clock);
                double core_hz = blocks ? NAN : sample_core_hz(sample, clock);
                SampleClass class = sample_class(sample);

                ret_ns[i] = ns - off.ns;
                quantity_add(&estimate->time_ns, ret_ns[i], class);
                if (isfinite(core_hz) && isfinite(off.cycles))
                        quantity_add(&estimate->cycles, ns * core_hz / NS_PER_S - off.cycles, class);
                estimate->iterations += sample->iterations;
                estimate->operations += sample->iterations * sample_block_ops(block, sample);
                estimate->elapsed_ns += sample_ticks_to_ns(sample->ticks, clock);
        }
        for (uint32_t i = 0; i < block->n_loop_samples && !estimate->takes_off_loop; i++) {
                const Sample *sample = &block->loop_samples[i];
                double ns = sample_operation_ns(block, sample, clock);
                double core_hz = sample_core_hz(sample, clock);

                quantity_add_loop(&estimate->time_ns, ns, sample_class(sample));
                if (isfinite(core_hz))
                        quantity_add_loop(&estimate->cycles, ns * core_hz / NS_PER_S, sample_class(sample));
        }
}

/* The operations of the last batch, by the thread that gave the last sample. */
static double block_last_operations(const SampleBlock *block) {
        const Sample *last = &block->samples[block->n_samples - 1];

        return last->iterations * sample_block_ops(block, last);
}

/* Samples of a process are all of one kind. */
static bool block_is_by_cpu(const SampleBlock *block) {
        return block->cpu_step_ns > 0;
}

static bool block_is_manual(const SampleBlock *block) {
        return sample_is_manual(&block->samples[0]) && !block_is_by_cpu(block);
}

static EstimateProcess *estimate_add_process(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        double per_batch = block_last_operations(block);
        double first_ticks = block->first_call_ticks - clock->batch_cost_ticks;
        bool manual = block_is_manual(block), by_cpu = block_is_by_cpu(block);
        double quantum_ns = by_cpu ? block->cpu_step_ns : sample_ticks_to_ns(clock->quantum_ticks, clock);
        double cost_ns = by_cpu ? block->cpu_cost_ns : sample_ticks_to_ns(clock->batch_cost_ticks, clock);
        EstimateProcess *process = &estimate->processes[estimate->n_processes++];

        *process = (EstimateProcess){
                .first_call_ns = block->first_call_ticks > 0 && !manual && !by_cpu
                                                 ? sample_ticks_to_ns(first_ticks, clock)
                                                 : NAN,
                .warmup_ms = sample_ticks_to_ns(block->warmup_ticks, clock) / NS_PER_MS,
                .start_stop_ns = manual ? NAN : (quantum_ns + cost_ns) / per_batch,
                .step_ns = manual ? 0 : quantum_ns / per_batch,
                .iterations = block->iterations,
                .stack_offset_bytes = block->stack_offset_bytes,
                .environment_bytes = block->environment_bytes,
                .user_ns = block->user_ns,
                .system_ns = block->system_ns,
                .loop_offset = block->loop_address % ESTIMATE_LINE_BYTES,
                .image_offset_bytes = block->image_offset_bytes,
                .n_trace = block->n_trace,
        };
        memcpy(process->trace, block->trace, sizeof process->trace);
        return process;
}

static int estimate_end_process(Estimate *estimate, const SampleBlock *block, EstimateProcess *process) {
        QuantityProcess time_ns, cycles;
        double usual_cycles;
        int r;

        process->conditions = (QuantityConditions){
                .place = block->image_offset_bytes * RUNNER_IMAGE_OFFSETS / RUNNER_IMAGE_OFFSET_MAX,
                .contamination = contamination_of(block),
        };
        r = quantity_end_process(&estimate->time_ns, &process->conditions, &time_ns);
        if (r == 0)
                r = quantity_end_process(&estimate->cycles, &process->conditions, &cycles);
        if (r)
                return error_trace(r);
        process->usual_ns = isfinite(time_ns.quiet) ? time_ns.quiet : time_ns.all;
        usual_cycles = isfinite(time_ns.quiet) ? cycles.quiet : cycles.all;
        process->core_hz = process->usual_ns > 0 ? usual_cycles / process->usual_ns * NS_PER_S : NAN;
        return 0;
}

static int estimate_add_amortised(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock,
                const double *ns) {
        const size_t last = estimate->n_processes - 1;
        const AmortisedLevels levels = {
                .alone_ns = estimate->processes[last].usual_ns,
                .shared_ns = estimate->time_ns.processes[last].shared,
        };

        return error_trace(amortised_add(&estimate->amortised, block, clock, ns, &levels));
}

/* The times of the headline of the last process as they would be at its usual frequency, in rising order; NULL: not known. */
static double *estimate_steady_times(const Estimate *estimate) {
        const QuantitySamples *cycles = &estimate->cycles.headline;
        const double core_hz = estimate->processes[estimate->n_processes - 1].core_hz;
        double *steady;

        if (cycles->n != estimate->time_ns.headline.n || !isfinite(core_hz))
                return NULL;
        steady = malloc((cycles->n + 1) * sizeof *steady);
        for (size_t i = 0; steady && i < cycles->n; i++)
                steady[i] = cycles->values[i] / core_hz * NS_PER_S;
        return steady;
}

/*
 * Adds the samples that the last process is judged by; their order in time is that of the first thread. The core's frequency goes up
 * and down in steps of some per cent, which are neither modes nor a drift of the body: where cycles are known these are of them.
 */
static int estimate_add_spread(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock,
                const double *ns) {
        const QuantitySamples *headline = &estimate->time_ns.headline;
        const double core_hz = estimate->processes[estimate->n_processes - 1].core_hz;
        _cleanup_(freep) double *sequence = malloc(block->n_samples * sizeof *sequence);
        _cleanup_(freep) double *steady = estimate_steady_times(estimate);
        SpreadSamples samples = {
                .sequence = sequence,
                .sorted = headline->values,
                .steady = steady ? steady : headline->values,
                .n = headline->n,
                .step = block_is_manual(block) ? 0
                                               : sample_ticks_to_ns(clock->quantum_ticks, clock) /
                                                                 block_last_operations(block),
                .quiet = estimate->time_ns.headline_class <= SAMPLE_CLASS_QUIET,
        };

        if (!sequence)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_samples; i++)
                if (block->samples[i].thread == 0 &&
                                sample_class(&block->samples[i]) <= estimate->time_ns.headline_class)
                        sequence[samples.n_sequence++] =
                                        steady ? ns[i] * sample_core_hz(&block->samples[i], clock) / core_hz : ns[i];
        return error_trace(spread_add(&estimate->spread, &samples));
}

static void estimate_add_counter(Estimate *estimate, const SampleCounter *counter) {
        EstimateCounter *mine = NULL;

        for (size_t i = 0; i < estimate->n_counters && !mine; i++)
                if (strcmp(estimate->counters[i].name, counter->name) == 0)
                        mine = &estimate->counters[i];
        if (!mine && estimate->n_counters == SAMPLE_BLOCK_COUNTERS_MAX)
                return;
        if (!mine) {
                mine = &estimate->counters[estimate->n_counters++];
                memcpy(mine->name, counter->name, sizeof mine->name);
        }
        mine->sum += counter->value;
        mine->n++;
}

static void estimate_note_long_batches(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];
                const double ns = sample_ticks_to_ns(sample->ticks, clock);

                if (ns <= estimate->longest_ns)
                        continue;
                estimate->longest_ns = ns;
                estimate->iterations_of_longest = sample->iterations;
        }
}

int estimate_add(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        _cleanup_(freep) double *ns = malloc(block->n_samples * sizeof *ns);
        EstimateProcess *process;
        int r;

        if (!ns)
                return error_origin(-ENOMEM);
        r = estimate_reserve(estimate, block);
        if (r)
                return error_trace(r);
        estimate_add_samples(estimate, block, clock, ns);
        process = estimate_add_process(estimate, block, clock);
        r = estimate_end_process(estimate, block, process);
        if (r == 0)
                r = empty_loop_add(&estimate->empty, block, clock);
        if (r == 0)
                r = estimate_add_spread(estimate, block, clock, ns);
        if (r == 0)
                r = estimate_add_amortised(estimate, block, clock, ns);
        if (r == 0)
                r = core_counts_add(&estimate->counts, block, clock, &process->conditions);
        if (r == 0)
                r = throughput_add(&estimate->throughput, block, ns, estimate->time_ns.headline_class);
        if (r)
                return error_trace(r);
        process->shares = disturbance_add_process(&estimate->disturbance, block, clock, process->usual_ns,
                        process->conditions.contamination);
        behaviour_add(&estimate->behaviour, block);
        for (uint32_t i = 0; i < block->n_counters; i++)
                estimate_add_counter(estimate, &block->counters[i]);

        if (!*estimate->label)
                memcpy(estimate->label, block->label, sizeof estimate->label);
        estimate->ops_per_iteration = block->threads[0].ops_per_iteration;
        estimate->user_ns += block->user_ns;
        estimate->system_ns += block->system_ns;
        estimate->crowded |= block->crowded != 0;
        estimate->manual |= block_is_manual(block);
        estimate->by_cpu |= block_is_by_cpu(block);
        estimate->rise = block->rise > 0 ? block->rise : estimate->rise;
        estimate->n_rises += block->rise > 0 && !block_is_manual(block);
        if (block->long_batches != 0 && block->other_windows == 0)
                estimate_note_long_batches(estimate, block, clock);
        if (block->inputs_max > 0 && block->iterations == block->inputs_max)
                estimate->inputs_max = block->inputs_max;
        return 0;
}

/* ---- the result */

static int report_behaviour(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        uint64_t unwritten_bytes;
        double own_threads_cpus;
        bool traced;
        int r;

        if (behaviour_traced(&estimate->behaviour, &traced) == 0)
                message_set(result, debugger_attached, traced);
        if (behaviour_unwritten(&estimate->behaviour, &unwritten_bytes) == 0)
                message_set(result, unwritten_bytes, unwritten_bytes);
        if (behaviour_own_threads(&estimate->behaviour, &own_threads_cpus) == 0)
                message_set(result, own_threads_cpus, own_threads_cpus);
        r = behaviour_list_files(&estimate->behaviour, arena, &result->files, &result->n_files);
        if (r)
                return error_trace(r);
        return error_trace(instruments_list(behaviour_instruments(&estimate->behaviour), arena, &result->instrumented,
                        &result->n_instrumented));
}

static void report_counts(const Estimate *estimate, Benchd__BenchmarkResult *result) {
        message_set(result, ops_per_iteration, estimate->ops_per_iteration);
        message_set(result, samples, quantity_count(&estimate->time_ns));
        message_set_whole(result, operations_total, estimate->operations);
        message_set(result, iterations_total, estimate->iterations);
        message_set_whole(result, elapsed_ns, estimate->elapsed_ns);
        message_set(result, cpu_user_ns, estimate->user_ns);
        message_set(result, cpu_system_ns, estimate->system_ns);
}

#define BATCH_SHORTENED_NS (WINDOW_LENGTH_NS / 2.0)

/* A remedy is an option that the method takes. */
static void report_long_batches(const Estimate *estimate, Arena *arena, WarningList *warnings) {
        const uint64_t iterations = estimate->iterations_of_longest;
        const WarningKind kind = iterations == 1 ? WARNING_LONG_WORK : estimate->long_batch;
        const char *remedy = kind == WARNING_LONG_BATCH    ? "Shorten it: --min-time=150"
                             : kind == WARNING_LONG_METHOD ? "The method has no option that shortens it: "
                                                             "--method=mark8 has, --min-time=150"
                                                           : "Do less work in it";
        char count[64];

        if (kind == WARNING_LONG_COUNT) {
                snprintf(count, sizeof count, "Use fewer iterations: --iterations=%.0f",
                                fmax(1, finding_two_digits(iterations / estimate->longest_ns * BATCH_SHORTENED_NS)));
                remedy = count;
        }
        warning_add(warnings, arena, kind,
                        "a batch is longer than a window of SCHED_FIFO, so it ran without real-time priority: pinned, but not "
                        "undisturbed. %s",
                        remedy);
}

/* Warns of batches that are too short or too long. A count that is given may make them so: nothing lengthens a batch then. */
static void report_batches(const Estimate *estimate, double step_ns, double point_ns, Arena *arena,
                WarningList *warnings) {
        const double steps = fmax(point_ns, 0) / step_ns;

        if (estimate->inputs_max)
                warning_add(warnings, arena, WARNING_SHORT_BATCH,
                                "a batch is shorter than wanted: %u prepared inputs fill half of the second-level "
                                "cache. Make them smaller",
                                estimate->inputs_max);
        if (2 * estimate->n_rises > estimate->n_processes)
                warning_add(warnings, arena, WARNING_GROWING_BATCH,
                                "iterations take %.2g times as long in the longest batch as in shorter ones: each "
                                "leaves more work to the next. Give it a .reset, or a fixed count (--iterations)",
                                estimate->rise);
        if (estimate->crowded)
                warning_add(warnings, arena, WARNING_SHORT_BATCH,
                                "a batch is shorter than wanted: untimed work takes most of the budget (pauses, "
                                "filling of inputs, the other side of a comparison). Do less of it, or raise the "
                                "budget (--budget)");
        if (estimate->longest_ns > 0)
                report_long_batches(estimate, arena, warnings);
        if (steps < ESTIMATE_STEPS_MIN && !estimate->takes_off_loop && !estimate->manual)
                warning_add(warnings, arena, WARNING_COARSE_CLOCK,
                                "a batch lasts %.10g steps of the clock, too short to resolve 1 %%. Give it more "
                                "iterations, or more work in each",
                                finding_two_digits(steps));
}

/* The median over the processes of the double at @offset; NaN if no process has one. */
static int processes_median(const Estimate *estimate, size_t offset, double *ret_median) {
        _cleanup_(freep) double *values = NULL;
        size_t n = 0;

        values = malloc(estimate->n_processes * sizeof *values);
        if (!values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_processes; i++) {
                double value = *(const double *)((const char *)&estimate->processes[i] + offset);

                if (isfinite(value))
                        values[n++] = value;
        }
        *ret_median = n > 0 ? quantile_median(values, n) : NAN;
        return 0;
}

static int report_medians(const Estimate *estimate, Benchd__BenchmarkResult *result) {
        double first_call_ns, warmup_ms, iterations;
        int r;

        r = processes_median(estimate, offsetof(EstimateProcess, first_call_ns), &first_call_ns);
        if (r == 0)
                r = processes_median(estimate, offsetof(EstimateProcess, warmup_ms), &warmup_ms);
        if (r == 0)
                r = processes_median(estimate, offsetof(EstimateProcess, iterations), &iterations);
        if (r)
                return error_trace(r);
        message_set_finite(result, first_call_ns, first_call_ns);
        message_set_finite(result, warmup_ms, warmup_ms);
        message_set_finite(result, iterations_per_sample, iterations);
        return 0;
}

/*
 * The error that the harness may add: the spread of its empty loop over the operations of an iteration, and no less than a step of the
 * clock. Without a timed loop the step and the whole cost of a batch bound it.
 */
static int report_harness_error(const Estimate *estimate, double step_ns, Benchd__BenchmarkResult *result) {
        double error_ns, spread_ns;
        int r;

        r = processes_median(estimate, offsetof(EstimateProcess, start_stop_ns), &error_ns);
        if (r == 0)
                r = empty_loop_spread_ns(&estimate->empty, &spread_ns);
        if (r)
                return error_trace(r);
        if (isfinite(error_ns) && isfinite(spread_ns))
                error_ns = fmax(step_ns, spread_ns / estimate->ops_per_iteration);
        message_set_finite(result, harness_error_ns, error_ns);
        return 0;
}

/*
 * Only one finding per cause: a row at the floor, or as short as the loop, is reported as that; without a timed loop its batches are called
 * coarse.
 */
static bool may_be_dubious(const Estimate *estimate, const Benchd__BenchmarkResult *result) {
        return result->has_harness_error_ns && estimate->empty.time_ns.n_processes > 0 && !estimate->is_nothing &&
               !result->below_noise_floor && !result->within_loop_cost;
}

/* The phases of a process under --trace. */
static int report_trace(const EstimateProcess *of, Arena *arena, Benchd__ProcessResult *process) {
        static const Benchd__TracePhase__Phase names[_RUNNER_PHASE_N] = {
                [RUNNER_PHASE_SETUP] = BENCHD__TRACE_PHASE__PHASE__SETUP,
                [RUNNER_PHASE_FIRST_CALL] = BENCHD__TRACE_PHASE__PHASE__FIRST_CALL,
                [RUNNER_PHASE_WARMUP] = BENCHD__TRACE_PHASE__PHASE__WARMUP,
                [RUNNER_PHASE_SAMPLING] = BENCHD__TRACE_PHASE__PHASE__SAMPLING,
                [RUNNER_PHASE_LOOP] = BENCHD__TRACE_PHASE__PHASE__LOOP,
                [RUNNER_PHASE_TEARDOWN] = BENCHD__TRACE_PHASE__PHASE__TEARDOWN,
        };

        process->trace = arena_zero(arena, RUNNER_TRACE_MAX * sizeof *process->trace);
        if (!process->trace)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < of->n_trace; i++) {
                const SampleTracePhase *noted = &of->trace[i];
                Benchd__TracePhase *phase = message_new(arena, Benchd__TracePhase, benchd__trace_phase);

                if (!phase)
                        return error_origin(-ENOMEM);
                if (names[noted->phase])
                        message_set(phase, phase, names[noted->phase]);
                message_set(phase, start_ticks, noted->start_ticks);
                message_set(phase, end_ticks, noted->end_ticks);
                message_set(phase, batches, noted->batches);
                message_set(phase, iterations, noted->iterations);
                message_set(phase, windows_asked, noted->windows_asked);
                message_set(phase, windows_fifo, noted->windows_fifo);
                message_set(phase, window_wait_ns, noted->window_wait_ns);
                message_set(phase, interrupted, noted->interrupted);
                message_set(phase, preempted, noted->preempted);
                process->trace[process->n_trace++] = phase;
        }
        return 0;
}

/* The medians that the headline is of: a process that gave none of its kind has none in the result either. */
static int report_processes(Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        const Quantity *counted = core_counts_cycles(&estimate->counts),
                       *cycles = counted ? counted : &estimate->cycles;
        const QuantityMeasurand measurand = quantity_measurand(&estimate->time_ns);
        int r;

        result->processes = arena_zero(arena, estimate->n_processes * sizeof *result->processes);
        if (!result->processes)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_processes; i++) {
                const EstimateProcess *of = &estimate->processes[i];
                Benchd__ProcessResult *process = message_new(arena, Benchd__ProcessResult, benchd__process_result);

                if (!process)
                        return error_origin(-ENOMEM);
                message_set_finite(process, median_ns,
                                quantity_process_median(&estimate->time_ns.processes[i], measurand));
                message_set_finite(process, median_cycles, quantity_process_median(&cycles->processes[i], measurand));
                message_set_finite(process, core_hz, of->core_hz);
                message_set_finite(process, disturbed, of->shares.disturbed);
                message_set_finite(process, shared, of->shares.shared);
                message_set_finite(process, quiet, of->shares.quiet);
                message_set_whole(process, iterations, of->iterations);
                message_set(process, stack_offset, of->stack_offset_bytes);
                message_set(process, environment_bytes, of->environment_bytes);
                message_set(process, loop_offset, of->loop_offset);
                message_set(process, image_offset, of->image_offset_bytes);
                message_set(process, cpu_user_ns, of->user_ns);
                message_set(process, cpu_system_ns, of->system_ns);
                r = report_trace(of, arena, process);
                if (r)
                        return error_trace(r);
                result->processes[result->n_processes++] = process;
        }
        return 0;
}

static int report_counters(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        result->counters = arena_zero(arena, SAMPLE_BLOCK_COUNTERS_MAX * sizeof *result->counters);
        if (!result->counters)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_counters; i++) {
                Benchd__Counter *counter = message_new(arena, Benchd__Counter, benchd__counter);

                if (!counter)
                        return error_origin(-ENOMEM);
                counter->name = arena_text(arena, estimate->counters[i].name);
                message_set_finite(counter, value, estimate->counters[i].sum / estimate->counters[i].n);
                result->counters[result->n_counters++] = counter;
        }
        return 0;
}

/* Cycles that the core's counters counted do not come in steps of the clock; those by the ruler do. */
static int report_cycles(Estimate *estimate, double step_ns, Arena *arena, Benchd__BenchmarkResult *result) {
        Quantity *counted = core_counts_cycles(&estimate->counts), *cycles = counted ? counted : &estimate->cycles;
        QuantityFloor floor;
        double core_hz;
        int r;

        r = core_counts_report(&estimate->counts, arena, &result->pmu);
        if (r)
                return error_trace(r);

        quantity_be_of(cycles, quantity_measurand(&estimate->time_ns));
        if (!quantity_is_known(cycles) || !quantity_has_headline(cycles)) {
                result->cycles = message_new(arena, Benchd__Quantity, benchd__quantity);
                if (!result->cycles)
                        return error_origin(-ENOMEM);
                message_set(result->cycles, source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
                return 0;
        }
        r = processes_median(estimate, offsetof(EstimateProcess, core_hz), &core_hz);
        if (r == 0)
                r = quantity_report(cycles, counted ? 0 : step_ns * core_hz / NS_PER_S, arena, &result->cycles, &floor);
        if (r)
                return error_trace(r);
        message_set(result->cycles, source, counted ? BENCHD__QUANTITY__SOURCE__PMU : BENCHD__QUANTITY__SOURCE__RULER);
        message_set_finite(result, core_hz, core_hz);
        return 0;
}

/* The rare slow part that the headline has nothing of, if there is one. */
static int report_amortised(const Estimate *estimate, const Benchd__Quantity *time, Arena *arena,
                Benchd__Amortised **ret_message) {
        const double half = time->has_low && time->low > 0 ? log(time->high / time->low) / 2 : NAN;
        _cleanup_(freep) double *medians = calloc(estimate->n_processes + 1, sizeof *medians);
        _cleanup_(freep) uint32_t *places = calloc(estimate->n_processes + 1, sizeof *places);
        const QuantityMeasurand measurand = quantity_measurand(&estimate->time_ns);
        Benchd__Amortised *message;
        AmortisedFound found;

        if (!medians || !places)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_processes; i++) {
                medians[i] = quantity_process_median(&estimate->time_ns.processes[i], measurand);
                places[i] = estimate->time_ns.processes[i].place;
        }
        if (!amortised_find(&estimate->amortised, medians, places, time->point, half, &found))
                return 0;
        message = message_new(arena, Benchd__Amortised, benchd__amortised);
        if (!message)
                return error_origin(-ENOMEM);
        message_set_finite(message, point, found.mean.point);
        message_set_finite(message, low, found.mean.low);
        message_set_finite(message, high, found.mean.high);
        message_set_finite(message, batches, found.batches);
        message_set_finite(message, extra_ns, found.extra_ns);
        *ret_message = message;
        return 0;
}

/* Times beside a busy neighbour vary as it comes and goes: neither modes nor a drift are looked for in them. */
static int report_spread(const Estimate *estimate, double step_ns, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings) {
        const QuantityMeasurand measurand = quantity_measurand(&estimate->time_ns);
        _cleanup_(estimate_medians_clear) EstimateMedians medians = {};
        const Benchd__Quantity *time = result->time_ns;
        PoolSummary summary;
        SpreadFound found;
        FindingFacts facts = {
                .spread = &found,
                .interval = time->has_low && time->low > 0 ? log(time->high / time->low) : NAN,
                .step = step_ns / time->point,
                .time_ns = time->point,
                .harness_error_ns = may_be_dubious(estimate, result) ? result->harness_error_ns : NAN,
                .mean = NAN,
                .median = NAN,
                .amortised = result->amortised,
                .shared = measurand == MEASURAND_SHARED,
        };
        int r;

        r = estimate_medians_ns(estimate, &medians);
        if (r == 0)
                r = spread_find(&estimate->spread, measurand == MEASURAND_ALONE, medians.values, medians.places,
                                medians.n, &found);
        if (r)
                return error_trace(r);
        if (facts.shared) {
                found.within.n = found.between.n = 0;
                found.drift = (Drift){ .change = NAN, .p_value = NAN };
        }
        r = spread_report(&found, arena, result);
        if (r == 0)
                r = quantity_summarize(&estimate->time_ns, &summary);
        if (r)
                return error_fold(r);
        if (summary.median > 0) {
                facts.mean = summary.mean;
                facts.median = summary.median;
        }
        finding_report(&facts, arena, warnings);
        return 0;
}

/* Places at which processes ran and none gave a quiet median. */
static size_t count_places_missing(const Quantity *quantity) {
        bool ran[RUNNER_IMAGE_OFFSETS] = {}, quiet[RUNNER_IMAGE_OFFSETS] = {};
        size_t n = 0;

        for (size_t i = 0; i < quantity->n_processes; i++) {
                ran[quantity->processes[i].place] = true;
                quiet[quantity->processes[i].place] |= isfinite(quantity->processes[i].quiet);
        }
        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS; i++)
                n += ran[i] && !quiet[i];
        return n;
}

/* A headline that nothing could tell apart is of all samples, as one that other work disturbed. */
static int report_disturbance(const Estimate *estimate, size_t n_wanted, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings) {
        static const char *const words[] = {
                [MEASURAND_ALONE] = "alone",
                [MEASURAND_SHARED] = "shared",
                [MEASURAND_ALL] = "all",
        };
        const DisturbanceFacts facts = {
                .measurand = quantity_measurand(&estimate->time_ns),
                .n_quiet = estimate->time_ns.n_quiet,
                .n_wanted = n_wanted,
                .n_places_missing = count_places_missing(&estimate->time_ns),
                .own_threads = behaviour_has_own_threads(&estimate->behaviour),
                .contaminated = quantity_contaminated(&estimate->time_ns),
        };
        const QuantityMeasurand told = estimate->disturbance.blind ? MEASURAND_ALL : facts.measurand;

        result->measurand = arena_text(arena, words[told]);
        return error_trace(disturbance_report(&estimate->disturbance, &facts, arena, &result->disturbed, warnings));
}

/* No empty loop is timed beside CPU time: its floor is the cost of its clock. */
static int report_cpu_floor(const Estimate *estimate, double point_ns, QuantityFloor *floor) {
        double error_ns;
        int r;

        if (!estimate->by_cpu)
                return 0;
        r = processes_median(estimate, offsetof(EstimateProcess, start_stop_ns), &error_ns);
        if (r)
                return error_trace(r);
        floor->below |= point_ns < error_ns;
        return 0;
}

int estimate_report(Estimate *estimate, size_t n_wanted, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings) {
        const bool alone = quantity_measurand(&estimate->time_ns) == MEASURAND_ALONE;
        QuantityFloor floor = {};
        double step_ns;
        int r;

        report_counts(estimate, result);
        message_set(result, manual_time, estimate->manual);
        result->clock = arena_text(arena, estimate->manual ? "own" : estimate->by_cpu ? "cpu" : "wall");
        result->label = *estimate->label ? arena_text(arena, estimate->label) : NULL;
        r = processes_median(estimate, offsetof(EstimateProcess, step_ns), &step_ns);
        if (r == 0)
                r = quantity_report(&estimate->time_ns, step_ns, arena, &result->time_ns, &floor);
        if (r)
                return error_trace(r);
        r = report_cpu_floor(estimate, result->time_ns->point, &floor);
        if (r)
                return error_trace(r);
        message_set(result, below_noise_floor, floor.below);
        message_set(result, within_loop_cost, floor.within_loop);
        report_batches(estimate, step_ns, result->time_ns->point, arena, warnings);
        r = report_behaviour(estimate, arena, result);
        if (r == 0)
                r = report_medians(estimate, result);
        if (r == 0)
                r = report_harness_error(estimate, step_ns, result);
        if (r == 0)
                r = report_processes(estimate, arena, result);
        if (r == 0)
                r = report_counters(estimate, arena, result);
        if (r == 0)
                r = throughput_report(&estimate->throughput, alone, arena, &result->throughput);
        if (r == 0)
                r = report_cycles(estimate, step_ns, arena, result);
        if (r)
                return error_trace(r);
        behaviour_report(&estimate->behaviour, arena, warnings);
        r = report_disturbance(estimate, n_wanted, arena, result, warnings);
        if (r == 0)
                r = report_amortised(estimate, result->time_ns, arena, &result->amortised);
        if (r == 0)
                r = report_spread(estimate, step_ns, arena, result, warnings);
        return error_trace(r);
}
