/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The estimates of the largest plan: no step of theirs is long, since the daemon answers nobody meanwhile. How long is
 * printed, in time of this process alone, and never asserted; that all of a million samples are told is.
 */

#include "front/estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "clock/ruler.h"
#include "front/plan.h"
#include "random.h"
#include "util/cleanup.h"

static const ClockFacts clock_facts = {
        .hz = 2e9,
        .quantum_ticks = 20,
        .batch_cost_ticks = 40,
        .ruler_turns = 10,
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
                        .flags = gsl_rng_uniform(random) < 0.1 ? SAMPLE_FLAG_INTERRUPTED : 0,
                };
}

static void measure(gsl_rng *random, uint32_t n_processes, uint32_t n_samples) {
        _cleanup_(freep) SampleBlock *block = calloc(1, sizeof *block);
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        double longest = 0, sum = 0, begun;
        _cleanup_(estimate_freep) Estimate *estimate = NULL;
        _cleanup_(arena_freep) Arena *arena = NULL;
        TextList warnings = {};

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
        assert_int_equal(estimate_report(estimate, arena, &result, &warnings), 0);
        print_message("%u processes of %u samples: %.2f ms each, %.2f ms the longest; the report %.2f ms\n",
                        n_processes, n_samples, sum / n_processes, longest, now_ms() - begun);
        assert_int_equal(result.samples, (uint64_t)n_processes * n_samples);
        assert_int_equal(result.time_ns->raw->samples, result.samples);
        assert_int_equal(result.cycles->raw->samples, result.samples);
        assert_true(result.time_ns->undisturbed->samples < result.samples);
}

static void the_largest_plan_is_estimated_in_short_steps(void **state) {
        gsl_rng *random = new_random();

        measure(random, 10, 50);
        measure(random, PLAN_SAMPLES_MAX / RUNNER_SAMPLES_MAX, RUNNER_SAMPLES_MAX);
        measure(random, RUNNER_PROCESSES_MAX, PLAN_SAMPLES_MAX / RUNNER_PROCESSES_MAX);
        gsl_rng_free(random);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_largest_plan_is_estimated_in_short_steps),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
