/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/order.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "front/plan/plan.h"
#include "util/error.h"

/* Of all processes, each thread's its own. */
static uint64_t benchmark_count_samples(const PlanBenchmark *benchmark) {
        return (uint64_t)benchmark->processes * benchmark->schedule.samples * benchmark->threads;
}

/* Within the limits. */
static int plan_count_processes(RunPlan *plan) {
        plan->n_processes = 0;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[i];

                if (benchmark_count_samples(benchmark) * plan->n_sides > PLAN_SAMPLES_MAX)
                        return PLAN_E_TOO_MANY_SAMPLES;
                plan->n_processes += benchmark->processes + plan_counts(plan, benchmark);
        }
        return plan->n_processes > PLAN_PROCESSES_MAX ? PLAN_E_TOO_MANY_PROCESSES : 0;
}

/* The end of the group of benchmarks that begins with @first. */
static size_t plan_group_end(const RunPlan *plan, size_t first) {
        uint64_t n_samples = 0;
        size_t end = first;

        for (; end < plan->n_benchmarks; end++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[end];

                n_samples += benchmark_count_samples(benchmark);
                if (end > first && n_samples > PLAN_SAMPLES_MAX)
                        break;
        }
        return end;
}

/* What is drawn does not depend on whether it is used, so that a seed gives the same order of processes either way. */
static void process_draw_layout(PlanProcess *process, uint16_t image_offset_bytes, bool fixed, gsl_rng *random) {
        PlanProcess drawn = *process;

        drawn.stack_offset_bytes = 16 * gsl_rng_uniform_int(random, RUNNER_STACK_OFFSET_MAX / 16);
        drawn.environment_padding_bytes = gsl_rng_uniform_int(random, RUNNER_PADDING_MAX);
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                drawn.heap_offset_bytes[i] = 16 * gsl_rng_uniform_int(random, RUNNER_HEAP_OFFSET_MAX / 16);
        drawn.image_offset_bytes = image_offset_bytes;
        if (!fixed)
                *process = drawn;
}

/*
 * Where images lie within their cache line, in so many rounds of a group: each place once, in an order drawn anew. Benchmarks are one
 * ahead of each other. Drawn freely, ten processes would have some place twice as often as another, and times hang on it.
 */
typedef struct ImageDeck {
        uint16_t offsets_bytes[RUNNER_IMAGE_OFFSETS];
} ImageDeck;

static void image_deck_draw(ImageDeck *deck, gsl_rng *random) {
        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS; i++)
                deck->offsets_bytes[i] = i * (RUNNER_IMAGE_OFFSET_MAX / RUNNER_IMAGE_OFFSETS);
        gsl_ran_shuffle(random, deck->offsets_bytes, RUNNER_IMAGE_OFFSETS, sizeof *deck->offsets_bytes);
}

/* Adds the processes of one round of the group; returns how many. */
static size_t plan_add_round(RunPlan *plan, size_t first, size_t end, uint32_t round, const ImageDeck *deck,
                gsl_rng *random) {
        const bool fixed = plan->options & RUNNER_OPTION_FIXED_LAYOUT;
        PlanProcess *begin = plan->processes + plan->n_processes;
        size_t n = 0;

        for (size_t i = first; i < end; i++) {
                if (plan->benchmarks[i].processes <= round)
                        continue;
                begin[n] = (PlanProcess){ .benchmark = i, .first_side = round % plan->n_sides };
                process_draw_layout(&begin[n++], deck->offsets_bytes[(round + i) % RUNNER_IMAGE_OFFSETS], fixed,
                                random);
        }
        if (n > 0)
                gsl_ran_shuffle(random, begin, n, sizeof *begin);
        plan->n_processes += n;
        return n;
}

static void plan_add_group(RunPlan *plan, size_t first, size_t end, gsl_rng *random) {
        ImageDeck deck;
        size_t n = 1;

        for (uint32_t round = 0; n > 0; round++) {
                if (round % RUNNER_IMAGE_OFFSETS == 0)
                        image_deck_draw(&deck, random);
                n = plan_add_round(plan, first, end, round, &deck, random);
        }
        for (size_t i = first; i < end; i++)
                if (plan_counts(plan, &plan->benchmarks[i]))
                        plan->processes[plan->n_processes++] = (PlanProcess){ .benchmark = i, .counts = true };
}

static void gsl_rng_freep(gsl_rng **random) {
        gsl_rng_free(*random);
}

int order_apply(RunPlan *plan, uint64_t seed) {
        _cleanup_(gsl_rng_freep) gsl_rng *random = NULL;
        int r;

        r = plan_count_processes(plan);
        if (r)
                return r;
        plan->processes = calloc(plan->n_processes + 1, sizeof *plan->processes);
        random = gsl_rng_alloc(gsl_rng_mt19937);
        if (!plan->processes || !random)
                return error_origin(-ENOMEM);
        gsl_rng_set(random, (uint32_t)(seed ^ seed >> 32));

        plan->n_processes = 0;
        for (size_t first = 0, end; first < plan->n_benchmarks; first = end) {
                end = plan_group_end(plan, first);
                plan_add_group(plan, first, end, random);
        }
        if (plan->n_processes > 0)
                plan->processes[0].first = true;
        return 0;
}
