/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <string.h>

#include "front/arguments.h"
#include "front/filter.h"
#include "front/pairing.h"
#include "util/error.h"
#include "util/time.h"

#define PLAN_WARMUP_MIN_NS (20 * NS_PER_MS)
#define PLAN_WARMUP_MAX_NS (1500 * NS_PER_MS)
#define PLAN_BUDGET_NS     (3 * NS_PER_S)
#define PLAN_SPAWN_NS      (30 * NS_PER_MS) /* around what is measured: fork, exec, load, end */

/* How much to measure where nobody says. */
typedef struct PlanEffort {
        uint32_t processes;
        uint32_t samples;
        uint64_t target_ns;
} PlanEffort;

static const PlanEffort plan_full = { .processes = 10, .samples = 50, .target_ns = 100000 };
static const PlanEffort plan_compare = { .processes = 20, .samples = 50, .target_ns = 100000 };
static const PlanEffort plan_quick = { .processes = 3, .samples = 20, .target_ns = 20000 };

static bool is_quick(const Benchd__RunRequest *request) {
        return request->has_quick && request->quick;
}

static const PlanEffort *effort_of(const Benchd__RunRequest *request) {
        if (is_quick(request))
                return &plan_quick;
        return request->comparison ? &plan_compare : &plan_full;
}

/* The command line, then --quick, then the module, then the default. */
static uint64_t choose(bool given, uint64_t value, const Benchd__RunRequest *request, uint64_t of_module,
                uint64_t effort) {
        if (given)
                return value;
        return of_module > 0 && !is_quick(request) ? of_module : effort;
}

static uint64_t at_most(uint64_t value, uint64_t most) {
        return value < most ? value : most;
}

static bool is_cold(const Benchd__RunRequest *request) {
        return request->has_cold && request->cold;
}

static uint32_t plan_options(const Benchd__RunRequest *request) {
        const struct {
                bool asked;
                uint32_t option;
        } rows[] = {
                { is_cold(request), RUNNER_OPTION_COLD },
                { request->has_no_prime && request->no_prime, RUNNER_OPTION_UNPRIMED },
                { request->has_no_aslr && request->no_aslr, RUNNER_OPTION_FIXED_LAYOUT },
                { request->has_trace && request->trace, RUNNER_OPTION_TRACE },
                { request->has_unprepared && request->unprepared, RUNNER_OPTION_UNPREPARED },
        };
        uint32_t options = 0;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                options |= rows[i].asked ? rows[i].option : 0;
        return options;
}

/* What starts cold each time has nothing to warm up. */
static void schedule_set_warmup(RunnerSchedule *schedule, const Benchd__RunRequest *request, uint32_t of_module_ms) {
        schedule->warmup_min_ns = PLAN_WARMUP_MIN_NS;
        schedule->warmup_max_ns = PLAN_WARMUP_MAX_NS;
        if (request->has_warmup_ns)
                schedule->warmup_min_ns = schedule->warmup_max_ns = request->warmup_ns;
        else if (is_cold(request))
                schedule->warmup_min_ns = schedule->warmup_max_ns = 0;
        else if (of_module_ms > 0)
                schedule->warmup_min_ns = schedule->warmup_max_ns = of_module_ms * NS_PER_MS;
}

static void benchmark_set_schedule(PlanBenchmark *benchmark, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        const PlanEffort *effort = effort_of(request);
        uint32_t samples_max = RUNNER_SAMPLES_MAX / (request->comparison ? RUNNER_SIDES_MAX : 1) /
                               at_most(benchmark->threads, RUNNER_THREADS_MAX);
        RunnerSchedule *schedule = &benchmark->schedule;
        uint64_t budget = request->has_budget_ns ? request->budget_ns : PLAN_BUDGET_NS;

        benchmark->processes = at_most(choose(request->has_processes, request->processes, request, entry->processes,
                                                       effort->processes),
                        RUNNER_PROCESSES_MAX);
        schedule->samples = at_most(
                        choose(request->has_samples, request->samples, request, entry->samples, effort->samples),
                        samples_max);
        schedule->target_ns = at_most(choose(request->has_min_time_ns, request->min_time_ns, request,
                                                      entry->min_time_ns, effort->target_ns),
                        RUNNER_TARGET_MAX_NS);
        schedule->iterations = request->has_iterations ? request->iterations : entry->iterations;
        if (is_cold(request))
                schedule->iterations = 1;
        schedule->budget_ns = budget / benchmark->processes > 0 ? budget / benchmark->processes : 1;
        schedule_set_warmup(schedule, request, entry->warmup_ms);
}

/* By an older method, in one process, whatever the module says. */
static void benchmark_set_older_schedule(PlanBenchmark *benchmark, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        const uint32_t samples_max = RUNNER_SAMPLES_MAX / at_most(benchmark->threads, RUNNER_THREADS_MAX);

        benchmark->processes = 1;
        benchmark->options |= benchmark->method->primes ? 0 : RUNNER_OPTION_UNPRIMED;
        benchmark->schedule = method_schedule(benchmark->method, entry, request);
        benchmark->schedule.samples = at_most(benchmark->schedule.samples, samples_max);
}

/* What has no method, or one that does not take what the request asks, is not run. */
static void benchmark_set_method(PlanBenchmark *benchmark, const char *name, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        benchmark->method = method_find(name);
        benchmark->refused = benchmark->method ? method_refuses(benchmark->method, request) : NULL;
        if (!benchmark->method || benchmark->refused)
                return;
        if (benchmark->method->is_older)
                benchmark_set_older_schedule(benchmark, entry, request);
        else
                benchmark_set_schedule(benchmark, entry, request);
}

uint64_t schedule_expected_ns(const RunnerSchedule *schedule) {
        const bool multiplies = schedule->pace == RUNNER_PACE_LAST_STEP || schedule->pace == RUNNER_PACE_ALL_STEPS;
        uint64_t sampling = (multiplies ? 2 : 1) * schedule->samples * schedule->target_ns;

        if (sampling < schedule->least_ns)
                sampling = schedule->least_ns;
        return PLAN_SPAWN_NS + schedule->warmup_min_ns + at_most(sampling, schedule->budget_ns);
}

uint64_t schedule_longest_ns(const RunnerSchedule *schedule) {
        return PLAN_SPAWN_NS + schedule->warmup_max_ns + schedule->budget_ns;
}

/* ---- which benchmarks */

static size_t entry_count_threads(const ListingEntry *entry) {
        return entry->n_threads > 0 ? entry->n_threads : 1;
}

/* The numbers of threads to run @entry with: what the command line says, or the module. */
static size_t entry_choose_threads(const ListingEntry *entry, const Benchd__RunRequest *request,
                uint32_t threads[static LISTING_THREADS_MAX]) {
        size_t n = request->has_threads ? 1 : entry_count_threads(entry);

        for (size_t i = 0; i < n; i++) {
                uint32_t of_module = entry->n_threads > 0 && entry->threads[i] > 0 ? entry->threads[i] : 1;

                threads[i] = request->has_threads ? request->threads : of_module;
        }
        return n;
}

size_t listing_count(const ListingBlock *listing) {
        size_t n = 0;

        for (uint32_t i = 0; i < listing->n_entries && n <= PLAN_BENCHMARKS_MAX; i++) {
                Arguments arguments;

                arguments_init(&arguments, &listing->entries[i]);
                n += arguments_count(&arguments) * entry_count_threads(&listing->entries[i]);
        }
        return n;
}

static void plan_add_entry(RunPlan *plan, const ListingEntry *entry, const char *method) {
        PlanEntry *copy = &plan->entries[plan->n_entries++];

        copy->reference = entry->reference != 0;
        snprintf(copy->method, sizeof copy->method, "%s", method);
        copy->n_args = entry->n_axes;
        memcpy(copy->area, entry->area, sizeof copy->area);
        memcpy(copy->name, entry->name, sizeof copy->name);
        memcpy(copy->title, entry->title, sizeof copy->title);
        for (uint32_t i = 0; i < entry->n_axes; i++)
                memcpy(copy->arg_names[i], entry->axes[i].name, sizeof copy->arg_names[i]);
}

/* Adds @entry with the arguments at @args, once for each number of threads. */
static void plan_add_benchmarks(RunPlan *plan, const ListingEntry *entry, const int64_t *args,
                const Benchd__RunRequest *request) {
        uint32_t threads[LISTING_THREADS_MAX];
        size_t n = entry_choose_threads(entry, request, threads);

        for (size_t i = 0; i < n; i++) {
                PlanBenchmark *benchmark = &plan->benchmarks[plan->n_benchmarks++];

                benchmark->entry = plan->n_entries - 1;
                benchmark->threads = threads[i];
                benchmark->options = plan->options;
                memcpy(benchmark->args, args, sizeof benchmark->args);
                benchmark_set_method(benchmark, plan->entries[benchmark->entry].method, entry, request);
                benchmark->too_many_threads = benchmark->threads > plan->threads_max;
                if (benchmark->too_many_threads)
                        benchmark->processes = 0;
        }
}

/* The empty loop, as a benchmark of @method: once, and before what it is subtracted from. */
static void plan_add_nothing(RunPlan *plan, const char *method, const Benchd__RunRequest *request) {
        static const ListingEntry nothing = { .name = PLAN_NOTHING, .title = PLAN_NOTHING };
        static const int64_t no_args[RUNNER_ARGS_MAX];
        const Method *of = method_find(method);

        if (!of || !of->takes_off_loop || plan->has_nothing)
                return;
        plan->has_nothing = true;
        plan_add_entry(plan, &nothing, method);
        plan_add_benchmarks(plan, &nothing, no_args, request);
        plan->benchmarks[plan->n_benchmarks - 1].options |= RUNNER_OPTION_NOTHING;
}

/* The command line's, then the module's; two sides are measured in turns, which is benchd's own. */
static const char *entry_choose_method(const RunPlan *plan, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        if (plan->n_sides > 1)
                return "";
        return request->method && *request->method ? request->method : entry->method;
}

static void plan_select_entry(RunPlan *plan, const ListingEntry *entry, const Benchd__RunRequest *request) {
        const FilterList filters = { request->filters, request->n_filters };
        const char *method = entry_choose_method(plan, entry, request);
        Arguments arguments;
        bool added = false;

        arguments_init(&arguments, entry);
        do {
                int64_t args[RUNNER_ARGS_MAX];

                arguments_get(&arguments, args);
                if (!filters_select(&filters, entry, args, entry->hidden))
                        continue;
                if (!added) {
                        plan_add_nothing(plan, method, request);
                        plan_add_entry(plan, entry, method);
                }
                added = true;
                plan_add_benchmarks(plan, entry, args, request);
        } while (arguments_step(&arguments));
}

/* Gives back what was reserved for benchmarks that the filters left out; where that fails nothing is lost. */
static void plan_trim(RunPlan *plan) {
        void *entries = realloc(plan->entries, plan->n_entries * sizeof *plan->entries);
        void *benchmarks = realloc(plan->benchmarks, plan->n_benchmarks * sizeof *plan->benchmarks);

        plan->entries = entries ? entries : plan->entries;
        plan->benchmarks = benchmarks ? benchmarks : plan->benchmarks;
}

static int plan_select(RunPlan *plan, const ListingBlock *listing, const Benchd__RunRequest *request) {
        size_t n = listing_count(listing);

        if (n > PLAN_BENCHMARKS_MAX)
                return PLAN_E_TOO_MANY_BENCHMARKS;
        plan->entries = calloc(listing->n_entries + 2, sizeof *plan->entries);
        plan->benchmarks = calloc(n + 2, sizeof *plan->benchmarks);
        if (!plan->entries || !plan->benchmarks)
                return error_origin(-ENOMEM);

        for (uint32_t i = 0; i < listing->n_entries; i++)
                plan_select_entry(plan, &listing->entries[i], request);
        if (plan->n_benchmarks == 0)
                return PLAN_E_NO_MATCH;
        plan_trim(plan);
        return 0;
}

/* ---- in which order */

/* Those that are timed, and the one that counts. */
static uint32_t plan_count_of(const RunPlan *plan, const PlanBenchmark *benchmark) {
        return benchmark->processes + (plan->memory && benchmark->processes > 0);
}

/* Of all processes, each thread's its own. */
static uint64_t benchmark_count_samples(const PlanBenchmark *benchmark) {
        return (uint64_t)benchmark->processes * benchmark->schedule.samples * benchmark->threads;
}

static int plan_count_processes(RunPlan *plan) {
        plan->n_processes = 0;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark *benchmark = &plan->benchmarks[i];

                if (benchmark_count_samples(benchmark) * plan->n_sides > PLAN_SAMPLES_MAX)
                        return PLAN_E_TOO_MANY_SAMPLES;
                plan->n_processes += plan_count_of(plan, benchmark);
                plan->expected_ns += plan_count_of(plan, benchmark) *
                                     (plan->options & RUNNER_OPTION_COLD ? schedule_longest_ns(&benchmark->schedule)
                                                                         : schedule_expected_ns(&benchmark->schedule));
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

/* Adds the processes of one round of the group; returns how many. */
static size_t plan_add_round(RunPlan *plan, size_t first, size_t end, uint32_t round, gsl_rng *random) {
        const bool fixed = plan->options & RUNNER_OPTION_FIXED_LAYOUT;
        PlanProcess *begin = plan->processes + plan->n_processes;
        size_t n = 0;

        for (size_t i = first; i < end; i++) {
                uint16_t stack_offset_bytes, environment_padding_bytes;

                if (plan->benchmarks[i].processes <= round)
                        continue;
                stack_offset_bytes = 16 * gsl_rng_uniform_int(random, RUNNER_STACK_OFFSET_MAX / 16);
                environment_padding_bytes = gsl_rng_uniform_int(random, RUNNER_PADDING_MAX);
                begin[n++] = (PlanProcess){
                        .benchmark = i,
                        .first_side = round % plan->n_sides,
                        .stack_offset_bytes = fixed ? 0 : stack_offset_bytes,
                        .environment_padding_bytes = fixed ? 0 : environment_padding_bytes,
                };
        }
        if (n > 0)
                gsl_ran_shuffle(random, begin, n, sizeof *begin);
        plan->n_processes += n;
        return n;
}

static void plan_add_group(RunPlan *plan, size_t first, size_t end, gsl_rng *random) {
        for (uint32_t round = 0; plan_add_round(plan, first, end, round, random) > 0;)
                round++;
        for (size_t i = first; i < end && plan->memory; i++)
                if (plan->benchmarks[i].processes > 0)
                        plan->processes[plan->n_processes++] = (PlanProcess){ .benchmark = i, .counts = true };
}

static void gsl_rng_freep(gsl_rng **random) {
        gsl_rng_free(*random);
}

static int plan_order(RunPlan *plan, uint64_t seed) {
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
        return 0;
}

/* What holds by the method that the request names, if it is an older one. */
static void plan_set_older_defaults(RunPlan *plan, const Benchd__RunRequest *request) {
        const Method *method = method_find(request->method ? request->method : "");
        RunnerSchedule schedule;

        if (!method || !method->is_older)
                return;
        schedule = method_schedule(method, &(ListingEntry){}, request);
        plan->default_processes = 1;
        plan->default_samples = schedule.samples;
        plan->target_ns = schedule.pace == RUNNER_PACE_FIXED ? 0 : schedule.target_ns;
        plan->budget_ns = schedule.budget_ns;
}

int run_plan_new(const PlanInput *input, const Benchd__RunRequest *request, uint64_t seed, RunPlan **ret_plan) {
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        const PlanEffort *effort = effort_of(request);
        int r;

        plan = calloc(1, sizeof *plan);
        if (!plan)
                return error_origin(-ENOMEM);
        plan->memory = request->has_memory && request->memory;
        plan->threads_max = input->threads_max;
        plan->options = plan_options(request);
        plan->default_processes = request->has_processes ? request->processes : effort->processes;
        plan->default_samples = request->has_samples ? request->samples : effort->samples;
        plan->target_ns = request->has_min_time_ns ? request->min_time_ns : effort->target_ns;
        plan->budget_ns = request->has_budget_ns ? request->budget_ns : PLAN_BUDGET_NS;
        plan_set_older_defaults(plan, request);

        plan->n_sides = input->old ? RUNNER_SIDES_MAX : 1;
        r = plan_select(plan, input->listing, request);
        if (r == 0 && input->old)
                r = pairing_apply(plan, input->old, request);
        if (r)
                return r;
        r = plan_order(plan, seed);
        if (r)
                return r;
        *ret_plan = take_pointer(plan);
        return 0;
}

RunPlan *run_plan_free(RunPlan *plan) {
        if (!plan)
                return NULL;
        free(plan->entries);
        free(plan->benchmarks);
        free(plan->processes);
        free(plan->unpaired);
        free(plan);
        return NULL;
}
