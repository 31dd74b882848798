/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/effort.h"

#include "front/plan/plan.h"
#include "front/plan/processes-needed.h"
#include "stats/sequence.h"
#include "util/time.h"

#define EFFORT_WARMUP_MIN_NS (8 * NS_PER_MS)
#define EFFORT_WARMUP_MAX_NS (1500 * NS_PER_MS)

#define EFFORT_CPU_TARGET_NS 200000 /* a reading of the clock of CPU time costs some hundred ns */

#define EFFORT_QUIET_GIVEN 60u /* samples: if fewer are requested, a share of them must be quiet */
#define EFFORT_QUIET_SHARE 0.3

#define EFFORT_REPLACED_MOST 2u /* processes in place of each one that had the core too seldom alone */
#define EFFORT_SAMPLES_ROOM                                                                                            \
 1000u /* for a sequence of samples on a core that is shared, however many benchmarks there are */

/* The default amount of measuring. Short batches are more often wholly quiet than long ones. */
typedef struct Effort {
        uint32_t processes;
        uint32_t samples;
        uint64_t target_ns;
        uint32_t quiet_samples;
        uint64_t quiet_ns;
        uint64_t budget_ns;
} Effort;

/* Processes: as many at each place of the module within its cache line; those of a comparison decide the number for a precision. */
static const Effort effort_full = {
        .processes = 3 * RUNNER_IMAGE_OFFSETS,
        .samples = 200,
        .target_ns = 25000,
        .quiet_samples = 30,
        .quiet_ns = 100 * NS_PER_MS,
        .budget_ns = 3 * NS_PER_S,
};
static const Effort effort_compare = {
        .processes = 5 * RUNNER_IMAGE_OFFSETS,
        .samples = 200,
        .target_ns = 25000,
        .quiet_samples = 60,
        .quiet_ns = 200 * NS_PER_MS,
        .budget_ns = 3 * NS_PER_S,
};
static const Effort effort_quick = {
        .processes = RUNNER_IMAGE_OFFSETS,
        .samples = 40,
        .target_ns = 20000,
        .quiet_samples = 15,
        .quiet_ns = 120 * NS_PER_MS,
        .budget_ns = 500 * NS_PER_MS,
};

static bool is_quick(const Benchd__RunRequest *request) {
        return request->has_quick && request->quick;
}

static const Effort *effort_of(const Benchd__RunRequest *request) {
        if (is_quick(request))
                return &effort_quick;
        return request->comparison ? &effort_compare : &effort_full;
}

/* The command line, then --quick, then the module, then the default. */
static uint64_t choose(bool given, uint64_t value, const Benchd__RunRequest *request, uint64_t of_module,
                uint64_t effort) {
        if (given)
                return value;
        return of_module > 0 && !is_quick(request) ? of_module : effort;
}

static uint32_t rounds_of(const Benchd__RunRequest *request) {
        return request->has_rounds && request->rounds > 1 ? request->rounds : 1;
}

/* The looks of a comparison that ends by itself: neither the request nor the module fixes its number of processes, or asks for a precision. */
static uint32_t looks_of(const Benchd__RunRequest *request, const ListingEntry *entry) {
        if (!request->comparison || request->has_processes || request->has_precision || is_quick(request) ||
                        entry->processes > 0 || rounds_of(request) > 1 || request->has_spread_ns)
                return 0;
        return sequence_looks_within(request->has_processes_most ? request->processes_most : RUNNER_PROCESSES_MAX);
}

/* Those of a request that allows less than the first look are as if it gave their number. */
static uint32_t processes_of(const Benchd__RunRequest *request, const ListingEntry *entry, uint32_t n_looks) {
        const bool few = request->comparison && request->has_processes_most &&
                         request->processes_most < sequence_looks[0].pairs && !request->has_processes;

        if (n_looks > 0)
                return sequence_looks[n_looks - 1].pairs;
        return choose(request->has_processes || few, few ? request->processes_most : request->processes, request,
                        entry->processes, effort_of(request)->processes);
}

static uint64_t at_most(uint64_t value, uint64_t most) {
        return value < most ? value : most;
}

/* The default length of a batch. */
static uint64_t target_of(const Benchd__RunRequest *request) {
        return request->has_cpu_time && request->cpu_time ? EFFORT_CPU_TARGET_NS : effort_of(request)->target_ns;
}

static bool is_cold(const Benchd__RunRequest *request) {
        return request->has_cold && request->cold;
}

/* ---- of a run */

/* An older method that the request names has its own defaults. */
void effort_set_defaults(Plan *plan, const Benchd__RunRequest *request) {
        const Method *method = method_find(request->method ? request->method : "");
        const Effort *effort = effort_of(request);
        RunnerSchedule schedule;

        if (!is_cold(request) && !request->has_iterations)
                plan->target_ns = request->has_min_time_ns ? request->min_time_ns : target_of(request);
        plan->budget_ns = request->has_budget_ns ? request->budget_ns : effort->budget_ns;
        if (!method || !method->is_older)
                return;
        schedule = method_schedule(method, &(ListingEntry){}, request);
        plan->target_ns = schedule.pace == RUNNER_PACE_FIXED ? 0 : schedule.target_ns;
        plan->budget_ns = schedule.budget_ns;
}

/* ---- of a benchmark */

/* A benchmark that starts cold each time has nothing to warm up; a module may want no warm-up at all. */
static void schedule_set_warmup(RunnerSchedule *schedule, const Benchd__RunRequest *request, uint32_t of_module_ms) {
        schedule->warmup_min_ns = EFFORT_WARMUP_MIN_NS;
        schedule->warmup_max_ns = EFFORT_WARMUP_MAX_NS;
        if (request->has_warmup_ns)
                schedule->warmup_min_ns = schedule->warmup_max_ns = request->warmup_ns;
        else if (is_cold(request))
                schedule->warmup_min_ns = schedule->warmup_max_ns = 0;
        else if (of_module_ms == LISTING_NO_WARMUP)
                schedule->warmup_min_ns = schedule->warmup_max_ns = 0;
        else if (of_module_ms > 0)
                schedule->warmup_min_ns = schedule->warmup_max_ns = of_module_ms * NS_PER_MS;
}

/*
 * Sampling on a core that is shared goes on until so many samples were quiet; of few that were asked for a share is, but at least as
 * many as a median takes. The most samples are settled when all processes are known. A request that gives samples and
 * iterations and no warm-up counts the calls: there are no more.
 */
static void schedule_set_quiet(RunnerSchedule *schedule, const Effort *effort, bool cold) {
        const bool asked = schedule->samples != effort->samples, few = asked && schedule->samples < EFFORT_QUIET_GIVEN;
        const bool counted = asked && schedule->warmup_max_ns == 0 && schedule->iterations > 0 && !cold;
        const uint32_t share = EFFORT_QUIET_SHARE * schedule->samples;
        const uint32_t least = at_most((schedule->samples + 1) / 2, EFFORT_QUIET_MIN);

        if (counted)
                schedule->quiet_samples = 0;
        else if (few)
                schedule->quiet_samples = share > least ? share : least;
        else
                schedule->quiet_samples = at_most(effort->quiet_samples, schedule->samples);
        schedule->quiet_ns = at_most(schedule->budget_ns, effort->quiet_ns);
}

/* The last looks of a comparison that ends by itself are for processes that leave some of their share. */
static uint64_t benchmark_share_budget(const PlanBenchmark *benchmark, const Effort *effort, uint64_t budget_ns) {
        const uint64_t share = budget_ns / (benchmark->n_looks > 0 ? at_most(benchmark->processes, effort->processes)
                                                                   : benchmark->processes);

        return share > 0 ? share : 1;
}

static void benchmark_set_schedule(PlanBenchmark *benchmark, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        const Effort *effort = effort_of(request);
        uint32_t samples_max = RUNNER_SAMPLES_MAX / (request->comparison ? RUNNER_SIDES_MAX : 1) /
                               at_most(benchmark->threads, RUNNER_THREADS_MAX);
        RunnerSchedule *schedule = &benchmark->schedule;
        uint64_t budget = request->has_budget_ns ? request->budget_ns : effort->budget_ns;

        benchmark->n_looks = looks_of(request, entry);
        benchmark->processes = at_most(processes_of(request, entry, benchmark->n_looks), RUNNER_PROCESSES_MAX);
        schedule->samples = at_most(
                        choose(request->has_samples, request->samples, request, entry->samples, effort->samples),
                        samples_max);
        schedule->target_ns = at_most(choose(request->has_min_time_ns, request->min_time_ns, request,
                                                      entry->min_time_ns, target_of(request)),
                        RUNNER_TARGET_MAX_NS);
        schedule->iterations = request->has_iterations ? request->iterations : entry->iterations;
        if (is_cold(request))
                schedule->iterations = 1;
        if (request->has_precision)
                benchmark->processes = effort->processes;
        schedule->budget_ns = benchmark_share_budget(benchmark, effort, budget);
        schedule_set_warmup(schedule, request, entry->warmup_ms);
        schedule_set_quiet(schedule, effort, is_cold(request));
}

/* By an older method it is one process, whatever the module says. */
void effort_set_benchmark(PlanBenchmark *benchmark, const char *name, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        const uint32_t samples_max = RUNNER_SAMPLES_MAX / at_most(benchmark->threads, RUNNER_THREADS_MAX);

        benchmark->method = method_find(name);
        benchmark->refused = benchmark->method ? method_refuses(benchmark->method, request) : NULL;
        if (!benchmark->method || benchmark->refused)
                return;
        if (!benchmark->method->is_older) {
                benchmark_set_schedule(benchmark, entry, request);
                return;
        }
        benchmark->processes = 1;
        benchmark->options |= benchmark->method->primes ? 0 : RUNNER_OPTION_NO_PRIME;
        benchmark->schedule = method_schedule(benchmark->method, entry, request);
        benchmark->schedule.samples = at_most(benchmark->schedule.samples, samples_max);
}

/* ---- when all benchmarks are known */

uint64_t effort_processes_most(const Plan *plan, uint64_t n_samples) {
        const uint64_t most = PLAN_SAMPLES_MAX / (n_samples * plan->n_sides);
        const uint64_t kept = PLAN_KEPT_MAX / (n_samples + PLAN_KEPT_BESIDE);

        return plan->keeps && kept < most ? kept : most;
}

/* For a precision there are as many processes as all limits leave; one is left for what counts allocations. */
static uint32_t processes_for_precision(const Plan *plan, const PlanBenchmark *benchmark,
                const Benchd__RunRequest *request) {
        const uint64_t given = request->has_processes ? request->processes : RUNNER_PROCESSES_MAX;
        const uint64_t n_samples = (uint64_t)benchmark->schedule.samples * benchmark->threads;

        return at_most(at_most(given, effort_processes_most(plan, n_samples)),
                        PLAN_PROCESSES_MAX / plan->n_benchmarks - 1);
}

/*
 * With those that may stand in for processes without a quiet median, as far as the limit of all leaves room. None do where each sample, or
 * each phase, goes into the one reply.
 */
static uint32_t processes_with_replaced(const Plan *plan, const PlanBenchmark *benchmark) {
        const uint64_t most = at_most((1 + EFFORT_REPLACED_MOST) * (uint64_t)benchmark->processes,
                        PLAN_PROCESSES_MAX / plan->n_benchmarks);

        if (benchmark->schedule.quiet_samples == 0 || plan->keeps || (plan->options & RUNNER_OPTION_TRACE))
                return benchmark->processes;
        return most > benchmark->processes ? most : benchmark->processes;
}

/* Each round has all of them, as far as there may be so many. */
static void benchmark_repeat(PlanBenchmark *benchmark, uint32_t n_rounds) {
        const uint32_t most = RUNNER_PROCESSES_MAX / n_rounds;

        benchmark->processes = n_rounds * (benchmark->processes < most ? benchmark->processes : most);
}

static void plan_set_processes(Plan *plan, const Benchd__RunRequest *request) {
        const uint32_t usual = effort_of(request)->processes;

        plan->precision = request->has_precision ? request->precision : 0;
        plan->processes_least = request->processes_least;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                PlanBenchmark *benchmark = &plan->benchmarks[i];

                benchmark_repeat(benchmark, plan->n_rounds);
                benchmark->processes_first = benchmark->processes;
                if (benchmark->processes == 0)
                        benchmark->n_looks = 0;
                if (benchmark->processes == 0 || benchmark->method->is_older)
                        continue;
                if (!request->has_precision) {
                        benchmark->processes = processes_with_replaced(plan, benchmark);
                        continue;
                }
                benchmark->processes = processes_for_precision(plan, benchmark, request);
                benchmark->processes_first = at_most(benchmark->processes,
                                plan->processes_least > usual ? plan->processes_least : usual);
        }
}

/* The processes that @benchmark's samples have room for: those that stand in for others have what these left of theirs. */
static uint32_t processes_with_room(const Plan *plan, const PlanBenchmark *benchmark) {
        return plan->precision > 0 ? benchmark->processes : benchmark->processes_first;
}

/* The most samples of a thread of @benchmark that leave all its samples, where they are kept, within their limit. */
static uint32_t samples_most_kept(const Plan *plan, const PlanBenchmark *benchmark) {
        const uint32_t each = PLAN_KEPT_MAX / processes_with_room(plan, benchmark);

        if (!plan->keeps)
                return RUNNER_SAMPLES_MAX;
        return each > PLAN_KEPT_BESIDE ? (each - PLAN_KEPT_BESIDE) / benchmark->threads : 0;
}

static uint64_t benchmark_count_sequences(const Plan *plan, const PlanBenchmark *benchmark) {
        return (uint64_t)processes_with_room(plan, benchmark) * benchmark->threads * plan->n_sides;
}

/*
 * On a core that is shared each sequence of samples (one for each side of each thread of each process) may become as long as a block holds
 * and the limit of all leaves to each, but EFFORT_SAMPLES_ROOM at least, since a group has as few benchmarks as that takes; and is never
 * shorter than on an unshared core.
 */
static void plan_set_samples_most(Plan *plan) {
        uint64_t n_sequences = 0, leaves;

        for (size_t i = 0; i < plan->n_benchmarks; i++)
                n_sequences += benchmark_count_sequences(plan, &plan->benchmarks[i]);
        leaves = n_sequences > 0 ? PLAN_SAMPLES_MAX / n_sequences : 0;
        if (leaves < EFFORT_SAMPLES_ROOM)
                leaves = EFFORT_SAMPLES_ROOM;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[i];
                RunnerSchedule *schedule = &plan->benchmarks[i].schedule;
                uint32_t most;

                if (benchmark->processes == 0 || benchmark->method->is_older)
                        continue;
                most = at_most(RUNNER_SAMPLES_MAX / plan->n_sides / at_most(benchmark->threads, RUNNER_THREADS_MAX),
                                at_most(leaves, PLAN_SAMPLES_MAX / benchmark_count_sequences(plan, benchmark)));
                most = at_most(most, samples_most_kept(plan, benchmark));
                schedule->samples_most = most > schedule->samples ? most : schedule->samples;
        }
}

void effort_set_processes(Plan *plan, const Benchd__RunRequest *request) {
        plan_set_processes(plan, request);
        plan_set_samples_most(plan);
}
