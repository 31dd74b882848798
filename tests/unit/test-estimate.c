/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The estimates of the largest plan: no step of theirs is long, since the daemon answers nobody meanwhile. How long is
 * printed, in time of this process alone, and never asserted; that all of a million samples are told is. And those of a run on
 * a core that another thread used too: simulated, since nobody can order a stranger to be busy.
 */

#include "front/samples/estimate.h"

#include "clock/ruler.h"
#include "front/plan/plan.h"
#include "random.h"

static const ClockFacts clock_facts = {
        .hz = 2e9,
        .quantum_ticks = 20,
        .batch_cost_ticks = 40,
        .ruler_turns = 10,
        .port_chains = 4,
        .ruler_cost_ticks = 20,
};

static double now_ms(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* Samples of @n, skewed, a tenth of them disturbed. */
static void fill_block(SampleBlock *block, gsl_rng *random, uint32_t n) {
        double level = 200000 * gsl_ran_lognormal(random, 0, 0.01);

        block->n_threads = 1;
        block->threads[0].ops_per_iteration = 1;
        block->iterations = 1000;
        block->n_samples = n;
        for (uint32_t i = 0; i < n; i++)
                block->samples[i] = (Sample){
                        .iterations = 1000,
                        .ticks = 40 + lround(level * (1 + gsl_ran_exponential(random, 0.02))),
                        .ruler_before_ticks = 1000 + gsl_rng_uniform_int(random, 10),
                        .ruler_after_ticks = 1000 + gsl_rng_uniform_int(random, 10),
                        .flags = gsl_rng_uniform(random) < 0.1 ? MARK_INTERRUPTED : 0,
                };
}

static void measure(gsl_rng *random, uint32_t n_processes, uint32_t n_samples) {
        _cleanup_(freep) SampleBlock *block = calloc(1, sizeof *block);
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        double longest = 0, sum = 0, begun;
        _cleanup_(estimate_freep) Estimate *estimate = NULL;
        _cleanup_(arena_freep) Arena *arena = NULL;
        WarningList warnings = {};

        assert_non_null(block);
        assert_int_equal(arena_new(&arena), 0);
        assert_int_equal(estimate_new(&estimate), 0);
        for (uint32_t i = 0; i < n_processes; i++) {
                fill_block(block, random, n_samples);
                begun = now_ms();
                assert_int_equal(estimate_add(estimate, block, &clock_facts), 0);
                sum += now_ms() - begun;
                longest = fmax(longest, now_ms() - begun);
        }
        begun = now_ms();
        assert_int_equal(estimate_report(estimate, 5, arena, &result, &warnings), 0);
        print_message("%u processes of %u samples: %.2f ms each, %.2f ms the longest; the report %.2f ms\n",
                        n_processes, n_samples, sum / n_processes, longest, now_ms() - begun);
        assert_int_equal(result.samples, (uint64_t)n_processes * n_samples);
        assert_int_equal(result.time_ns->raw->samples, result.samples);
        assert_int_equal(result.cycles->raw->samples, result.samples);
        assert_true(result.time_ns->undisturbed->samples < result.samples);
}

TEST(the_largest_plan_is_estimated_in_short_steps) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        measure(random, 10, 50);
        measure(random, PLAN_SAMPLES_MAX / RUNNER_SAMPLES_MAX, RUNNER_SAMPLES_MAX);
        measure(random, RUNNER_PROCESSES_MAX, PLAN_SAMPLES_MAX / RUNNER_PROCESSES_MAX);
}

/* ---- beside a neighbour */

#define TRUTH_NS 100.0
#define SLOWED   1.5
#define SAMPLES  200

/* True where another thread uses the core during sample @i. */
typedef bool (*Pattern)(gsl_rng *random, uint32_t i);

static bool never(gsl_rng *random, uint32_t i) {
        return false;
}

static bool three_of_ten_in_bursts(gsl_rng *random, uint32_t i) {
        return i % 10 < 3;
}

static bool six_of_ten_in_bursts(gsl_rng *random, uint32_t i) {
        return i % 50 < 30;
}

static bool nine_of_ten_in_bursts(gsl_rng *random, uint32_t i) {
        return i % 200 < 180;
}

static bool always(gsl_rng *random, uint32_t i) {
        return true;
}

static bool last_of_long_ones(gsl_rng *random, uint32_t i) {
        return i >= SAMPLES - 4;
}

/* Fills in what a runner writes: a sample that is shared takes half as long again, and those before and after it are marked too. */
static void fill_shared(SampleBlock *block, gsl_rng *random, Pattern pattern) {
        const double level = TRUTH_NS * gsl_ran_lognormal(random, 0, 0.001);
        bool shared[SAMPLES];

        block->n_threads = 1;
        block->threads[0].ops_per_iteration = 1;
        block->threads[0].items_per_iteration = 1;
        block->iterations = 250;
        block->n_samples = SAMPLES;
        block->probes = SAMPLE_PROBES_ON;
        for (uint32_t i = 0; i < SAMPLES; i++)
                shared[i] = pattern(random, i);
        for (uint32_t i = 0; i < SAMPLES; i++) {
                const bool beside = (i > 0 && shared[i - 1]) || (i + 1 < SAMPLES && shared[i + 1]);
                const double ns = level * (shared[i] ? SLOWED : 1) * (1 + gsl_ran_gaussian(random, 0.005));

                block->samples[i] = (Sample){
                        .iterations = 250,
                        .ticks = 40 + lround(2 * 250 * ns),
                        .ruler_before_ticks = 1000,
                        .ruler_after_ticks = 1000,
                        .flags = (shared[i] ? MARK_SHARED : 0) | (beside ? MARK_BESIDE_SHARED : 0),
                };
        }
}

typedef struct Shared {
        Arena *arena;
        Benchd__BenchmarkResult result;
        WarningList warnings;
} Shared;

static void shared_clear(Shared *shared) {
        arena_free(shared->arena);
}

/* Every double in @message that is there is a number, whatever came of which samples: JSON has no other. Returns how many. */
static size_t count_numbers(const ProtobufCMessage *message) {
        size_t n = 0;

        for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
                const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
                const char *value = (const char *)message + field->offset,
                           *has = (const char *)message + field->quantifier_offset;
                const bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;

                if (field->type == PROTOBUF_C_TYPE_DOUBLE && !repeated && *(const protobuf_c_boolean *)has) {
                        assert_true(isfinite(*(const double *)value));
                        n++;
                }
                if (field->type == PROTOBUF_C_TYPE_MESSAGE && !repeated && *(ProtobufCMessage *const *)value)
                        n += count_numbers(*(ProtobufCMessage *const *)value);
                for (size_t j = 0; field->type == PROTOBUF_C_TYPE_MESSAGE && repeated && j < *(const size_t *)has; j++)
                        n += count_numbers((*(ProtobufCMessage *const *const *)value)[j]);
        }
        return n;
}

/* A run of ten processes, the first @n_mixed of which have @pattern, the others @rest. */
static void run_shared(size_t n_mixed, Pattern pattern, Pattern rest, Shared *ret_shared) {
        _cleanup_(freep) SampleBlock *block = calloc(1, sizeof *block);
        _cleanup_(estimate_freep) Estimate *estimate = NULL;
        _cleanup_(random_freep) gsl_rng *random = new_random();
        Shared shared = { .result = BENCHD__BENCHMARK_RESULT__INIT };

        assert_non_null(block);
        assert_int_equal(arena_new(&shared.arena), 0);
        assert_int_equal(estimate_new(&estimate), 0);
        for (size_t i = 0; i < 10; i++) {
                fill_shared(block, random, i < n_mixed ? pattern : rest);
                assert_int_equal(estimate_add(estimate, block, &clock_facts), 0);
        }
        assert_int_equal(estimate_report(estimate, 5, shared.arena, &shared.result, &shared.warnings), 0);
        assert_true(count_numbers(&shared.result.base) > 50);
        *ret_shared = shared;
}

static size_t count_words(const ArenaList *texts, const char *words) {
        size_t n = 0;

        for (size_t i = 0; i < texts->n; i++)
                n += strstr(texts->texts[i], words) != NULL;
        return n;
}

TEST(the_headline_is_the_time_alone_however_the_core_was_shared) {
        static const struct {
                const char *name;
                Pattern pattern;
        } rows[] = {
                { "never", never },
                { "30 %", three_of_ten_in_bursts },
                { "60 %", six_of_ten_in_bursts },
                { "90 %", nine_of_ten_in_bursts }, /* 9 % are quiet: 18 of 200, of which 10 tell the time */
                { "the end", last_of_long_ones },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(shared_clear) Shared shared = {};
                const Benchd__Quantity *time;

                run_shared(10, rows[i].pattern, never, &shared);
                time = shared.result.time_ns;
                print_message("shared %s: %.3f ns, %.3f to %.3f\n", rows[i].name, time->point, time->low, time->high);
                assert_true(fabs(time->point / TRUTH_NS - 1) < 0.005);
                assert_true(fabs(shared.result.throughput->items_per_second * TRUTH_NS / 1e9 - 1) < 0.005);
                assert_false(shared.result.disturbed->unfit);
                assert_string_equal(shared.result.measurand, "alone");
                assert_int_equal(count_words(&shared.warnings.texts, "modes") +
                                                 count_words(&shared.warnings.texts, "the mean is"),
                                0);
                assert_int_equal(shared.result.n_modes, 0);
                assert_int_equal(time->raw->samples, 10 * SAMPLES);
                assert_int_equal(time->while_shared != NULL, rows[i].pattern != never);
                if (time->while_shared)
                        assert_true(fabs(time->while_shared->median / (SLOWED * TRUTH_NS) - 1) < 0.01);
                assert_int_equal(shared.result.disturbed->frequency, 0);
        }
}

TEST(a_run_that_was_never_alone_tells_the_time_while_shared_and_is_unfit) {
        _cleanup_(shared_clear) Shared shared = {};
        const Benchd__BenchmarkResult *result = &shared.result;

        run_shared(10, always, never, &shared);
        assert_true(fabs(result->time_ns->point / (SLOWED * TRUTH_NS) - 1) < 0.005);
        assert_true(fabs(result->throughput->items_per_second * SLOWED * TRUTH_NS / 1e9 - 1) < 0.005);
        assert_string_equal(result->measurand, "shared");
        assert_true(fabs(result->time_ns->shared->point / result->time_ns->point - 1) < 1e-9);
        assert_true(result->disturbed->unfit && result->disturbed->quiet == 0 && result->disturbed->shared_share == 1);
        assert_int_equal(shared.warnings.texts.n, 1 + count_words(&shared.warnings.texts, "follow each other"));
        assert_non_null(strstr(shared.warnings.texts.texts[0], "the time is that beside a busy neighbour"));
        for (size_t i = 0; i < result->n_processes; i++)
                assert_true(result->processes[i]->has_median_ns && result->processes[i]->shared == 1);
        assert_null(result->time_ns->undisturbed);
        assert_false(result->drift->has_change);
}

/* One that was alone tells the time alone, never mixed with the others'; a verdict takes five. */
TEST(processes_that_were_never_alone_are_left_out) {
        for (size_t n_shared = 4; n_shared <= 10; n_shared++) {
                _cleanup_(shared_clear) Shared shared = {};
                const bool alone = n_shared < 10;
                size_t n_medians = 0;

                run_shared(n_shared, always, never, &shared);
                for (size_t i = 0; i < shared.result.n_processes; i++)
                        n_medians += shared.result.processes[i]->has_median_ns;
                assert_int_equal(n_medians, alone ? 10 - n_shared : 10);
                assert_int_equal(shared.result.disturbed->unfit, 10 - n_shared < 5);
                assert_int_equal(shared.result.disturbed->quiet_processes, 10 - n_shared);
                assert_true(!alone || fabs(shared.result.time_ns->point / TRUTH_NS - 1) < 0.005);
                assert_true(alone || shared.result.time_ns->point > 1.3 * TRUTH_NS);
                assert_true(shared.result.cycles->has_point);
        }
}
