/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/selection.h"

#include <stdio.h>
#include <string.h>

#include "front/plan/effort.h"
#include "front/plan/pairing.h"
#include "front/plan/plan.h"
#include "ops/arguments.h"
#include "ops/filter.h"
#include "util/error.h"

static size_t entry_count_threads(const ListingEntry *entry) {
        return entry->n_threads > 0 ? entry->n_threads : 1;
}

/* The numbers of threads to run @entry with: the command line's, or the module's. */
static size_t entry_choose_threads(const ListingEntry *entry, const Benchd__RunRequest *request,
                uint32_t threads[static LISTING_THREADS_MAX]) {
        size_t n = request->has_threads ? 1 : entry_count_threads(entry);

        for (size_t i = 0; i < n; i++) {
                uint32_t of_module = entry->n_threads > 0 && entry->threads[i] > 0 ? entry->threads[i] : 1;

                threads[i] = request->has_threads ? request->threads : of_module;
        }
        return n;
}

size_t selection_count(const ListingBlock *listing) {
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
        memcpy(copy->about, entry->about, sizeof copy->about);
        for (uint32_t i = 0; i < entry->n_axes; i++)
                memcpy(copy->arg_names[i], entry->axes[i].name, sizeof copy->arg_names[i]);
}

/* Adds @entry with the arguments at @args, once for each number of threads. */
static void plan_add_benchmarks(RunPlan *plan, const ListingEntry *entry, const ArgumentValue *args,
                const Benchd__RunRequest *request) {
        uint32_t threads[LISTING_THREADS_MAX];
        size_t n = entry_choose_threads(entry, request, threads);

        for (size_t i = 0; i < n; i++) {
                PlanBenchmark *benchmark = &plan->benchmarks[plan->n_benchmarks++];

                benchmark->entry = plan->n_entries - 1;
                benchmark->threads = threads[i];
                benchmark->options = plan->options;
                memcpy(benchmark->args, args, sizeof benchmark->args);
                effort_set_benchmark(benchmark, plan->entries[benchmark->entry].method, entry, request);
                benchmark->too_many_threads = plan->threads_max > 0 && benchmark->threads > plan->threads_max;
                benchmark->skipped = benchmark->too_many_threads && benchmark->processes > 0 && !request->has_threads;
                if (benchmark->too_many_threads)
                        benchmark->processes = 0;
        }
}

/* Adds the empty loop, as a benchmark of @method: once, and before those that it is subtracted from. */
static void plan_add_nothing(RunPlan *plan, const char *method, const Benchd__RunRequest *request) {
        static const ListingEntry nothing = { .name = PLAN_NOTHING, .title = PLAN_NOTHING };
        static const ArgumentValue no_args[RUNNER_ARGS_MAX];
        const Method *of = method_find(method);

        if (!of || !of->takes_off_loop || plan->has_nothing)
                return;
        plan->has_nothing = true;
        plan_add_entry(plan, &nothing, method);
        plan_add_benchmarks(plan, &nothing, no_args, request);
        plan->benchmarks[plan->n_benchmarks - 1].options |= RUNNER_OPTION_NOTHING;
}

/* The command line's method, then the module's; two sides are measured in turns, which is benchd's own. */
static const char *entry_choose_method(const RunPlan *plan, const ListingEntry *entry,
                const Benchd__RunRequest *request) {
        if (plan->n_sides > 1)
                return "";
        return request->method && *request->method ? request->method : entry->method;
}

/* A comparison of two benchmarks by name has no others; and a name that is given is written out, as hidden ones need it. */
static void plan_select_entry(RunPlan *plan, const ListingEntry *entry, bool is_named,
                const Benchd__RunRequest *request) {
        const FilterList filters = { request->filters, request->n_filters };
        const char *method = entry_choose_method(plan, entry, request);
        Arguments arguments;
        bool added = false;

        arguments_init(&arguments, entry);
        do {
                ArgumentValue args[RUNNER_ARGS_MAX];

                arguments_get(&arguments, args);
                if (!filter_select(&filters, entry, args, entry->hidden && !is_named))
                        continue;
                if (!added) {
                        plan_add_nothing(plan, method, request);
                        plan_add_entry(plan, entry, method);
                }
                added = true;
                plan_add_benchmarks(plan, entry, args, request);
        } while (arguments_step(&arguments));
}

int selection_apply(RunPlan *plan, const ListingBlock *listing, const Benchd__RunRequest *request) {
        const char *given = request->comparison ? request->comparison->new_benchmark : NULL;
        const ListingEntry *named = given ? pairing_find_named(listing, given) : NULL;
        size_t n = selection_count(listing);
        void *entries, *benchmarks;

        if (n > PLAN_BENCHMARKS_MAX)
                return PLAN_E_TOO_MANY_BENCHMARKS;
        plan->entries = calloc(listing->n_entries + 2, sizeof *plan->entries);
        plan->benchmarks = calloc(n + 2, sizeof *plan->benchmarks);
        if (!plan->entries || !plan->benchmarks)
                return error_origin(-ENOMEM);

        for (uint32_t i = 0; i < listing->n_entries; i++)
                if (!given || named == &listing->entries[i])
                        plan_select_entry(plan, &listing->entries[i], given != NULL, request);
        if (plan->n_benchmarks == 0)
                return PLAN_E_NO_MATCH;

        /* the room of benchmarks that the filters left out is given back; if that fails nothing is lost */
        entries = realloc(plan->entries, plan->n_entries * sizeof *plan->entries);
        plan->entries = entries ? entries : plan->entries;
        benchmarks = realloc(plan->benchmarks, plan->n_benchmarks * sizeof *plan->benchmarks);
        plan->benchmarks = benchmarks ? benchmarks : plan->benchmarks;
        return 0;
}
