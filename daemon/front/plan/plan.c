/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "front/plan/asked.h"
#include "front/plan/effort.h"
#include "front/plan/pairing.h"
#include "front/plan/selection.h"
#include "stats/sequence.h"
#include "util/error.h"
#include "util/time.h"

#define PLAN_BATCHES_MIN   5u
#define PLAN_SPAWN_NS      (30 * NS_PER_MS) /* around the measuring: fork, exec, load, end */
#define PLAN_BESIDE_NS     16000u           /* a batch that is sampled: ruler, probes, readings */
#define PLAN_UNTIMED_SHARE 8u               /* of it, a part of so many runs untimed before it */

Plan *plan_free(Plan *plan) {
        if (!plan)
                return NULL;
        free(plan->entries);
        free(plan->benchmarks);
        free(plan->processes);
        free(plan->unpaired);
        free(plan->reference);
        free(plan->unmatched);
        free(plan);
        return NULL;
}

bool plan_counts(const Plan *plan, const PlanBenchmark *benchmark) {
        return plan->memory && benchmark->processes > 0;
}

bool plan_has_own_cpus(const Plan *plan) {
        for (size_t i = 0; i < plan->n_benchmarks; i++)
                if (plan->benchmarks[i].cpus > plan->benchmarks[i].threads && plan->benchmarks[i].processes > 0)
                        return true;
        return false;
}

/* ---- the order of processes */

/* The samples of the processes of @benchmark that are sure to run, each thread's its own, with @n of a thread. */
static uint64_t benchmark_count_samples(const PlanBenchmark *benchmark, uint32_t n) {
        return (uint64_t)benchmark->processes_first * n * benchmark->threads;
}

/* Counts the processes; refuses what is over a limit. */
static int plan_count_processes(Plan *plan) {
        size_t n_first = 0;

        plan->n_processes = 0;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[i];
                const uint32_t samples = benchmark->schedule.samples;

                if (benchmark_count_samples(benchmark, samples) * plan->n_sides > PLAN_SAMPLES_MAX)
                        return PLAN_E_TOO_MANY_SAMPLES;
                if (benchmark->processes > 0 &&
                                benchmark->processes_first >
                                                effort_processes_most(plan, (uint64_t)samples * benchmark->threads))
                        return PLAN_E_TOO_MANY_KEPT;
                n_first += benchmark->processes_first + plan_counts(plan, benchmark);
                plan->n_processes += benchmark->processes + plan_counts(plan, benchmark);
        }
        return n_first > PLAN_PROCESSES_MAX ? PLAN_E_TOO_MANY_PROCESSES : 0;
}

/* The end of the group of benchmarks that begins with @first. */
static size_t plan_group_end(const Plan *plan, size_t first) {
        uint64_t n_samples = 0;
        size_t end = first;

        for (; end < plan->n_benchmarks; end++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[end];

                n_samples += benchmark_count_samples(benchmark, benchmark->schedule.samples_most);
                if (end > first && n_samples > PLAN_SAMPLES_MAX)
                        break;
        }
        return end;
}

/* Draws random numbers for a fixed layout too: the same seed must give the same order of processes. */
static void process_draw_layout(PlanProcess *process, uint16_t image_offset_bytes, bool fixed, gsl_rng *random) {
        PlanProcess drawn = *process;

        drawn.stack_offset_bytes = 16 * gsl_rng_uniform_int(random, RUNNER_STACK_OFFSET_MAX / 16);
        drawn.environment_padding_bytes = gsl_rng_uniform_int(random, RUNNER_PADDING_MAX);
        drawn.heap_offset_bytes = 16 * gsl_rng_uniform_int(random, RUNNER_HEAP_OFFSET_MAX / 16);
        drawn.mapping_offset_pages = gsl_rng_uniform_int(random, RUNNER_OFFSET_PAGES_MAX);
        drawn.heap_offset_pages = gsl_rng_uniform_int(random, RUNNER_OFFSET_PAGES_MAX);
        drawn.image_offset_bytes = image_offset_bytes;
        if (!fixed)
                *process = drawn;
}

/* The most processes of a benchmark of the group, without those that stand in for others. */
static uint32_t plan_most_first(const Plan *plan, size_t first, size_t end) {
        uint32_t most = 0;

        for (size_t i = first; i < end; i++)
                if (plan->benchmarks[i].processes_first > most)
                        most = plan->benchmarks[i].processes_first;
        return most;
}

/* A turn of a group: each benchmark once. */
typedef struct PlanTurn {
        uint32_t round;
        uint32_t turn; /* within it */
        uint32_t part;
} PlanTurn;

/* Each side leads in half of the places of a deck, and at each place in every other one: leading makes its batches up to 0.1 % longer. */
static uint8_t plan_first_side(const Plan *plan, const PlanTurn *at, uint16_t place) {
        return (at->round + at->turn / RUNNER_IMAGE_OFFSETS +
                               place / (RUNNER_IMAGE_OFFSET_MAX / RUNNER_IMAGE_OFFSETS)) %
               plan->n_sides;
}

/* The processes of @benchmark in each round; the last one also has those that stand in for others. */
static uint32_t benchmark_count_in_round(const Plan *plan, const PlanBenchmark *benchmark, uint32_t round) {
        const uint32_t each = benchmark->processes_first / plan->n_rounds;

        return round + 1 < plan->n_rounds ? each : benchmark->processes - round * each;
}

/* The most processes of a benchmark of the group in @round. */
static uint32_t plan_count_turns(const Plan *plan, size_t first, size_t end, uint32_t round) {
        uint32_t most = 0;

        for (size_t i = first; i < end; i++) {
                const uint32_t n = benchmark_count_in_round(plan, &plan->benchmarks[i], round);

                most = n > most ? n : most;
        }
        return most;
}

/* Adds the processes of one turn of the group, with the module's places in @deck. No link of a round is one of another round. */
static void plan_add_turn(Plan *plan, size_t first, size_t end, const PlanTurn *at,
                const uint16_t deck[static RUNNER_IMAGE_OFFSETS], gsl_rng *random) {
        const bool fixed = plan->options & RUNNER_OPTION_NO_ASLR;
        const bool commands =
                        plan->options & RUNNER_OPTION_COMMANDS; /* whose time does not hang on the module's place */
        PlanProcess *begin = plan->processes + plan->n_processes;
        size_t n = 0;

        for (size_t i = first; i < end; i++) {
                const uint16_t place = deck[(at->turn + i) % RUNNER_IMAGE_OFFSETS];

                if (benchmark_count_in_round(plan, &plan->benchmarks[i], at->round) <= at->turn)
                        continue;
                begin[n] = (PlanProcess){
                        .benchmark = i,
                        .round = at->round,
                        .turn = at->turn,
                        .part = at->part,
                        .link = at->turn * plan->n_rounds + at->round,
                        .first_side = plan_first_side(plan, at, place),
                };
                process_draw_layout(&begin[n++], commands ? 0 : place, fixed, random);
        }
        if (n > 0)
                gsl_ran_shuffle(random, begin, n, sizeof *begin);
        plan->n_processes += n;
}

/*
 * Each RUNNER_IMAGE_OFFSETS turns of a round have each place of an image within its cache line once, in an order drawn anew;
 * benchmarks are one place ahead of each other. Drawn freely, ten processes would have some place twice as often as another, and
 * times hang on it.
 */
static void plan_add_round(Plan *plan, size_t first, size_t end, uint32_t round, gsl_rng *random) {
        const uint32_t n_turns = plan_count_turns(plan, first, end, round);
        const bool parts_turns = plan->spread_ns > 0 && plan->n_rounds == 1;
        uint16_t deck[RUNNER_IMAGE_OFFSETS];

        for (uint32_t turn = 0; turn < n_turns; turn++) {
                if (turn % RUNNER_IMAGE_OFFSETS == 0) {
                        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS; i++)
                                deck[i] = i * (RUNNER_IMAGE_OFFSET_MAX / RUNNER_IMAGE_OFFSETS);
                        gsl_ran_shuffle(random, deck, RUNNER_IMAGE_OFFSETS, sizeof *deck);
                }
                plan->n_parts += turn == 0 || (parts_turns && turn < plan_most_first(plan, first, end));
                plan_add_turn(plan, first, end, &(PlanTurn){ round, turn, plan->n_parts - 1 }, deck, random);
        }
}

static void plan_add_group(Plan *plan, size_t first, size_t end, gsl_rng *random) {
        for (uint32_t round = 0; round < plan->n_rounds; round++)
                plan_add_round(plan, first, end, round, random);
        for (size_t i = first; i < end; i++)
                if (plan_counts(plan, &plan->benchmarks[i]))
                        plan->processes[plan->n_processes++] =
                                        (PlanProcess){ .benchmark = i, .counts = true, .part = plan->n_parts - 1 };
}

static void gsl_rng_freep(gsl_rng **random) {
        gsl_rng_free(*random);
}

/* Lays out the processes of @plan. Returns 0, PLAN_E_TOO_MANY_*, or a negative errno. */
static int plan_add_processes(Plan *plan, uint64_t seed) {
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

/* ---- its duration */

/* No budget makes fewer batches of the target's length than these: two to find it, and the least number of samples. */
static uint64_t schedule_least_ns(const RunnerSchedule *schedule) {
        return schedule->iterations > 0 || schedule->pace != RUNNER_PACE_SETTLED
                               ? 0
                               : PLAN_BATCHES_MIN * schedule->target_ns;
}

uint64_t plan_schedule_expected_ns(const RunnerSchedule *schedule) {
        const bool multiplies = schedule->pace == RUNNER_PACE_LAST_STEP || schedule->pace == RUNNER_PACE_ALL_STEPS;
        const uint64_t least = schedule_least_ns(schedule);
        const uint64_t beside = schedule->pace == RUNNER_PACE_SETTLED
                                                ? PLAN_BESIDE_NS + schedule->target_ns / PLAN_UNTIMED_SHARE
                                                : 0;
        uint64_t sampling = (multiplies ? 2 : 1) * schedule->samples * (schedule->target_ns + beside);

        if (sampling < schedule->least_ns)
                sampling = schedule->least_ns;
        if (sampling > schedule->budget_ns)
                sampling = schedule->budget_ns;
        return PLAN_SPAWN_NS + schedule->warmup_min_ns + (sampling > least ? sampling : least);
}

/*
 * The length is found by doubling, with batches of up to twice the target at the end; and on a core that is shared sampling may
 * go on when the budget has ended.
 */
uint64_t plan_schedule_longest_ns(const RunnerSchedule *schedule) {
        return PLAN_SPAWN_NS + schedule->warmup_max_ns + schedule->budget_ns + schedule->quiet_ns +
               2 * schedule_least_ns(schedule);
}

/* The whole run: a benchmark that starts cold each time ends by its budget. */
static uint64_t plan_expected_ns(const Plan *plan) {
        const bool cold = plan->options & RUNNER_OPTION_COLD;
        uint64_t expected_ns = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[i];
                const RunnerSchedule *schedule = &benchmark->schedule;

                expected_ns += (plan_least_processes(benchmark) + plan_counts(plan, benchmark)) *
                               (cold ? plan_schedule_longest_ns(schedule) : plan_schedule_expected_ns(schedule));
        }
        return expected_ns;
}

/* ---- all of it */

uint32_t plan_least_processes(const PlanBenchmark *benchmark) {
        return benchmark->n_looks > 0 ? sequence_looks[0].pairs : benchmark->processes_first;
}

uint32_t plan_most_processes(const Plan *plan) {
        return plan_most_first(plan, 0, plan->n_benchmarks);
}

uint32_t plan_most_looks(const Plan *plan) {
        uint32_t most = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++)
                if (plan->benchmarks[i].n_looks > most)
                        most = plan->benchmarks[i].n_looks;
        return most;
}

uint32_t plan_most_samples(const Plan *plan) {
        uint32_t most = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++)
                if (plan->benchmarks[i].schedule.samples > most)
                        most = plan->benchmarks[i].schedule.samples;
        return most;
}

int plan_new(const PlanInput *input, const Benchd__RunRequest *request, uint64_t seed, Plan **ret_plan) {
        _cleanup_(plan_freep) Plan *plan = NULL;
        int r;

        plan = calloc(1, sizeof *plan);
        if (!plan)
                return error_origin(-ENOMEM);
        plan->memory = request->has_memory && request->memory;
        plan->keeps = request->has_keep_samples && request->keep_samples;
        plan->margin = request->has_margin ? request->margin : PLAN_MARGIN;
        plan->n_rounds = request->has_rounds ? request->rounds : 1;
        plan->spread_ns = request->spread_ns;
        plan->cpus_max = input->cpus_max;
        plan->options = asked_flags(request) | (request->n_commands > 0 ? RUNNER_OPTION_COMMANDS : 0);
        plan->n_sides = input->old ? RUNNER_SIDES_MAX : 1;
        effort_set_defaults(plan, request);

        if (input->old && input->old_chosen &&
                        selection_count(input->old, input->old_chosen, request) > PLAN_BENCHMARKS_MAX)
                return PLAN_E_TOO_MANY_BENCHMARKS;
        r = selection_apply(plan, input, request);
        if (r == 0 && input->old)
                r = pairing_apply(plan, input, request);
        if (r)
                return r;
        effort_set_processes(plan, request);
        r = plan_add_processes(plan, seed);
        if (r)
                return r;
        plan->expected_ns = plan_expected_ns(plan);
        *ret_plan = take_pointer(plan);
        return 0;
}
