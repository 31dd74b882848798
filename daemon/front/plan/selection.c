/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/plan/chosen.h"
#include "front/plan/effort.h"
#include "front/plan/pairing.h"
#include "front/plan/plan.h"
#include "front/plan/reference.h"
#include "ops/arguments.h"
#include "ops/filter.h"
#include "util/error.h"

/* The choice that a request makes of a listing. Borrowed. */
typedef struct Selection {
        const Benchd__RunRequest *request;
        const Chosen *chosen;
        bool by_name;              /* a comparison of two benchmarks by name has no others */
        const ListingEntry *named; /* ... than this one; NULL: the listing has none of that name, or several */
        Reference reference;
} Selection;

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

/* The CPUs to run @entry on in @threads threads: the command line's, or the module's; else one a thread. */
static uint32_t entry_choose_cpus(const ListingEntry *entry, const Benchd__RunRequest *request, uint32_t threads) {
        const uint32_t asked = request->has_cpus_per_run ? request->cpus_per_run : entry->cpus;

        return asked > threads ? asked : threads;
}

size_t selection_count(const ListingBlock *listing, const Chosen *chosen, const Benchd__RunRequest *request) {
        const char *given = request->comparison ? request->comparison->new_benchmark : NULL;
        const ListingEntry *named = given ? pairing_find_named(listing, given) : NULL;
        uint32_t threads[LISTING_THREADS_MAX];
        size_t n = 0;

        for (uint32_t i = 0; i < listing->n_entries; i++)
                if (!given || named == &listing->entries[i])
                        n += chosen_count(chosen, i) * entry_choose_threads(&listing->entries[i], request, threads);
        return n;
}

static void plan_add_entry(Plan *plan, const ListingEntry *entry, const char *method) {
        PlanEntry *copy = &plan->entries[plan->n_entries++];

        snprintf(copy->method, sizeof copy->method, "%s", method);
        copy->n_args = entry->n_axes;
        memcpy(copy->area, entry->area, sizeof copy->area);
        memcpy(copy->name, entry->name, sizeof copy->name);
        memcpy(copy->title, entry->title, sizeof copy->title);
        memcpy(copy->about, entry->about, sizeof copy->about);
        for (uint32_t i = 0; i < entry->n_axes; i++)
                memcpy(copy->arg_names[i], entry->axes[i].name, sizeof copy->arg_names[i]);
}

/* Adds @entry with the arguments at @args and @threads; @is_reference of a run that has one: it is the one. */
static void plan_add_benchmark(Plan *plan, const ListingEntry *entry, const ArgumentValue *args, uint32_t threads,
                bool is_reference, const Benchd__RunRequest *request) {
        PlanBenchmark *benchmark = &plan->benchmarks[plan->n_benchmarks++];

        benchmark->entry = plan->n_entries - 1;
        benchmark->threads = threads;
        benchmark->cpus = entry_choose_cpus(entry, request, threads);
        benchmark->options = plan->options;
        benchmark->reference = is_reference;
        memcpy(benchmark->args, args, sizeof benchmark->args);
        effort_set_benchmark(benchmark, plan->entries[benchmark->entry].method, entry, request);
        benchmark->shares_cpus = threads > 1 && benchmark->cpus > threads;
        benchmark->too_many_cpus = plan->cpus_max > 0 && benchmark->cpus > plan->cpus_max;
        benchmark->skipped = benchmark->too_many_cpus && !benchmark->shares_cpus && benchmark->processes > 0 &&
                             !(threads > 1 ? request->has_threads : request->has_cpus_per_run);
        if (benchmark->too_many_cpus || benchmark->shares_cpus)
                benchmark->processes = 0;
}

/*
 * Adds a benchmark with the arguments of a place, once for each number of threads. The first of them is the reference, and the only one
 * where the filters leave it out.
 */
static void plan_add_benchmarks(Plan *plan, const Arguments *at, bool is_chosen, const Selection *selection) {
        const Reference *reference = &selection->reference;
        const ListingEntry *entry = at->entry;
        ArgumentValue args[RUNNER_ARGS_MAX];
        uint32_t threads[LISTING_THREADS_MAX];
        size_t n = entry_choose_threads(entry, selection->request, threads);

        arguments_get(at, args);
        for (size_t i = 0; i < (is_chosen ? n : 1); i++) {
                const bool is_reference =
                                reference->entry ? i == 0 && reference_is(reference, at) : entry->reference != 0;

                plan_add_benchmark(plan, entry, args, threads[i], is_reference, selection->request);
        }
}

/* Adds the empty loop, as a benchmark of @method: once, and before the benchmarks that it is subtracted from. */
static void plan_add_nothing(Plan *plan, const char *method, const Benchd__RunRequest *request) {
        static const ListingEntry nothing = { .name = PLAN_NOTHING, .title = PLAN_NOTHING };
        static const ArgumentValue no_args[RUNNER_ARGS_MAX];
        const Method *of = method_find(method);

        if (!of || !of->takes_off_loop || plan->has_nothing)
                return;
        plan->has_nothing = true;
        plan_add_entry(plan, &nothing, method);
        plan_add_benchmark(plan, &nothing, no_args, request->has_threads ? request->threads : 1, false, request);
        plan->benchmarks[plan->n_benchmarks - 1].options |= RUNNER_OPTION_NOTHING;
}

/* The command line's method, then the module's; two sides are measured in turns, which is benchd's own. */
static const char *entry_choose_method(const Plan *plan, const ListingEntry *entry, const Benchd__RunRequest *request) {
        if (plan->n_sides > 1)
                return "";
        return request->method && *request->method ? request->method : entry->method;
}

/* A comparison of two benchmarks by name has no other. */
static bool selection_looks_at(const Selection *selection, const ListingEntry *entry) {
        return !selection->by_name || selection->named == entry;
}

/* Finds the first set of arguments with which @selection has @entry, number @i of the listing. Returns false if there is none. */
static bool selection_find_first(const Selection *selection, const ListingEntry *entry, uint32_t i,
                Reference *ret_first) {
        if (!selection_looks_at(selection, entry) || !chosen_next(selection->chosen, i, 0, &ret_first->set))
                return false;
        ret_first->entry = entry;
        return true;
}

/*
 * Finds the reference: the one that the request names; or, if a method's table is always scaled, the first one marked by the module, if
 * possible a chosen one. Returns 0, PLAN_E_NO_MATCH, PLAN_E_NO_REFERENCE or PLAN_E_SEVERAL_REFERENCES.
 */
static int selection_find_reference(Selection *selection, const Plan *plan, const ListingBlock *listing) {
        const char *given = selection->request->reference;
        bool any = false, is_scaled = false;
        Reference marked = {};
        size_t n;

        for (uint32_t i = 0; i < listing->n_entries; i++) {
                const ListingEntry *entry = &listing->entries[i];
                const Method *method = method_find(entry_choose_method(plan, entry, selection->request));
                Reference first;

                if (!selection_find_first(selection, entry, i, &first))
                        continue;
                any = true;
                is_scaled |= method && method->is_scaled;
                if (entry->reference && !marked.entry)
                        marked = first;
        }
        if (!any)
                return PLAN_E_NO_MATCH;
        if (!given && (marked.entry || !is_scaled)) {
                selection->reference = is_scaled ? marked : (Reference){};
                return 0;
        }
        n = reference_find(listing, given ? given : "", &selection->reference);
        if (!given || n == 1)
                return 0;
        return n == 0 ? PLAN_E_NO_REFERENCE : PLAN_E_SEVERAL_REFERENCES;
}

/*
 * Finds the first set of arguments, from set @from on, with which @entry, number @i of the listing, is measured: a chosen one, or the
 * reference's. Returns false if there is none.
 */
static bool selection_next(const Selection *selection, const ListingEntry *entry, uint32_t i, size_t from,
                size_t *ret_set, bool *ret_chosen) {
        const Reference *reference = &selection->reference;
        const bool refers = reference->entry == entry && reference->set >= from;

        *ret_chosen = selection_looks_at(selection, entry) && chosen_next(selection->chosen, i, from, ret_set);
        if (!refers || (*ret_chosen && *ret_set <= reference->set))
                return *ret_chosen;
        *ret_chosen = false;
        *ret_set = reference->set;
        return true;
}

static void plan_select_entry(Plan *plan, const ListingEntry *entry, uint32_t i, const Selection *selection) {
        const char *method = entry_choose_method(plan, entry, selection->request);
        Arguments arguments;
        bool is_chosen;
        size_t set;

        if (!selection_next(selection, entry, i, 0, &set, &is_chosen))
                return;
        plan_add_nothing(plan, method, selection->request);
        plan_add_entry(plan, entry, method);
        arguments_init(&arguments, entry);
        do {
                arguments_seek(&arguments, set);
                plan_add_benchmarks(plan, &arguments, is_chosen, selection);
        } while (selection_next(selection, entry, i, set + 1, &set, &is_chosen));
}

/* Results name the reference after the listing is gone. */
static int plan_set_reference(Plan *plan, const Reference *reference) {
        ArgumentValue args[RUNNER_ARGS_MAX];
        char path[FILTER_PATH_MAX];
        Arguments arguments;

        if (!reference->entry)
                return 0;
        arguments_init(&arguments, reference->entry);
        arguments_seek(&arguments, reference->set);
        arguments_get(&arguments, args);
        filter_path(reference->entry, args, path);
        plan->reference = strdup(path);
        return plan->reference ? 0 : error_origin(-ENOMEM);
}

static int plan_set_unmatched(Plan *plan, const char *unmatched) {
        if (!unmatched)
                return 0;
        plan->unmatched = strdup(unmatched);
        return plan->unmatched ? 0 : error_origin(-ENOMEM);
}

int selection_apply(Plan *plan, const PlanInput *input, const Benchd__RunRequest *request) {
        const ListingBlock *listing = input->listing;
        const char *given = request->comparison ? request->comparison->new_benchmark : NULL;
        Selection selection = {
                .request = request,
                .chosen = input->chosen,
                .by_name = given != NULL,
                .named = given ? pairing_find_named(listing, given) : NULL,
        };
        size_t n = selection_count(listing, input->chosen, request);
        void *entries, *benchmarks;
        int r;

        if (n > PLAN_BENCHMARKS_MAX)
                return PLAN_E_TOO_MANY_BENCHMARKS;
        r = selection_find_reference(&selection, plan, listing);
        if (r)
                return r;
        r = plan_set_reference(plan, &selection.reference);
        if (r == 0)
                r = plan_set_unmatched(plan, chosen_unmatched(input->chosen));
        if (r)
                return error_trace(r);
        plan->entries = calloc(listing->n_entries + 2, sizeof *plan->entries);
        plan->benchmarks = calloc(n + 2, sizeof *plan->benchmarks);
        if (!plan->entries || !plan->benchmarks)
                return error_origin(-ENOMEM);

        for (uint32_t i = 0; i < listing->n_entries; i++)
                plan_select_entry(plan, &listing->entries[i], i, &selection);

        /* the room of benchmarks that the filters left out is given back; if that fails nothing is lost */
        entries = realloc(plan->entries, plan->n_entries * sizeof *plan->entries);
        plan->entries = entries ? entries : plan->entries;
        benchmarks = realloc(plan->benchmarks, plan->n_benchmarks * sizeof *plan->benchmarks);
        plan->benchmarks = benchmarks ? benchmarks : plan->benchmarks;
        return 0;
}
