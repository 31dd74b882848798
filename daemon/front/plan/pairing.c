/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/pairing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "front/plan/plan.h"
#include "ops/arguments.h"
#include "ops/filter.h"
#include "util/error.h"

/* ---- names */

static bool is_named(const ListingEntry *entry, const char *given) {
        size_t n = strlen(entry->area);

        if (!strchr(given, '/'))
                return strcmp(entry->name, given) == 0;
        return strncmp(given, entry->area, n) == 0 && given[n] == '/' && strcmp(given + n + 1, entry->name) == 0;
}

size_t pairing_count_named(const ListingBlock *listing, const char *given) {
        size_t n = 0;

        for (uint32_t i = 0; i < listing->n_entries; i++)
                n += is_named(&listing->entries[i], given);
        return n;
}

const ListingEntry *pairing_find_named(const ListingBlock *listing, const char *given) {
        const ListingEntry *found = NULL;

        for (uint32_t i = 0; i < listing->n_entries; i++) {
                if (!is_named(&listing->entries[i], given))
                        continue;
                if (found && !strchr(given, '/'))
                        return NULL;
                found = found ? found : &listing->entries[i];
        }
        return found;
}

static const ListingEntry *listing_find(const ListingBlock *listing, const char *area, const char *name) {
        for (uint32_t i = 0; i < listing->n_entries; i++)
                if (strcmp(listing->entries[i].area, area) == 0 && strcmp(listing->entries[i].name, name) == 0)
                        return &listing->entries[i];
        return NULL;
}

/* ---- pairs */

/*
 * The other side of a benchmark: that of its area and name, or else the one of its name alone, if each side has but one of it. Areas
 * are named after files by default, so two files of one program have other areas.
 */
static const ListingEntry *find_old(const PlanInput *input, const char *area, const char *name) {
        const ListingEntry *old = listing_find(input->old, area, name);

        if (old || pairing_count_named(input->listing, name) != 1)
                return old;
        return pairing_find_named(input->old, name);
}

/* A comparison by name has one entry, whose name was chosen before. */
static void pair_entry(PlanEntry *entry, const PlanInput *input, const Benchd__Comparison *comparison) {
        const ListingEntry *old = comparison->benchmark ? pairing_find_named(input->old, comparison->benchmark)
                                                        : find_old(input, entry->area, entry->name);

        if (!old)
                return;
        memcpy(entry->old.area, old->area, sizeof entry->old.area);
        memcpy(entry->old.name, old->name, sizeof entry->old.name);
}

static bool has_old(const PlanEntry *entry) {
        return *entry->old.name;
}

/* True if @entry has the arguments at @args of @other, by the same names. */
static bool has_arguments(const ListingEntry *entry, const ListingEntry *other, const ArgumentValue *args) {
        if (entry->n_axes != other->n_axes)
                return false;
        for (uint32_t i = 0; i < entry->n_axes; i++)
                if (strcmp(entry->axes[i].name, other->axes[i].name) != 0 ||
                                !arguments_axis_has(&entry->axes[i], &args[i]))
                        return false;
        return true;
}

/* ---- benchmarks that only one side has */

static void note_unpaired(RunPlan *plan, const ListingEntry *entry, const ArgumentValue *args) {
        if (plan->n_unpaired < PLAN_UNPAIRED_MAX)
                filter_path(entry, args, plan->unpaired[plan->n_unpaired++].text);
        else
                plan->n_unnamed++;
}

/* True if @benchmark stays in @plan. Others are noted: one that has no other side at all once, without arguments. */
static bool keep_benchmark(RunPlan *plan, const PlanInput *input, const PlanBenchmark *benchmark, bool is_first) {
        const PlanEntry *entry = &plan->entries[benchmark->entry];
        const ListingEntry *new = listing_find(input->listing, entry->area, entry->name);

        if (!has_old(entry)) {
                if (is_first)
                        note_unpaired(plan, new, NULL);
                return false;
        }
        if (benchmark->threads > 1) {
                plan->n_of_threads++;
                return false;
        }
        if (!has_arguments(listing_find(input->old, entry->old.area, entry->old.name), new, benchmark->args)) {
                note_unpaired(plan, new, benchmark->args);
                return false;
        }
        return true;
}

static void keep_pairs(RunPlan *plan, const PlanInput *input) {
        uint32_t before = UINT32_MAX;
        size_t n = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark benchmark = plan->benchmarks[i];

                if (keep_benchmark(plan, input, &benchmark, benchmark.entry != before))
                        plan->benchmarks[n++] = benchmark;
                before = benchmark.entry;
        }
        plan->n_benchmarks = n;
        plan->n_only_new = plan->n_unpaired;
}

/* The other side of @old, an entry of the new listing. */
static const ListingEntry *find_new(const RunPlan *plan, const ListingBlock *listing, const ListingEntry *old) {
        for (size_t i = 0; i < plan->n_entries; i++) {
                const PlanEntry *entry = &plan->entries[i];

                if (strcmp(entry->old.area, old->area) == 0 && strcmp(entry->old.name, old->name) == 0)
                        return listing_find(listing, entry->area, entry->name);
        }
        return NULL;
}

/* Notes the arguments of @old that the filters choose and @new does not have; without @new the benchmark, once. */
static void note_only_old(RunPlan *plan, const ListingEntry *old, const ListingEntry *new, const FilterList *filters) {
        ArgumentValue args[RUNNER_ARGS_MAX];
        Arguments arguments;

        arguments_init(&arguments, old);
        do {
                arguments_get(&arguments, args);
                if (!filter_select(filters, old, args, old->hidden) || (new &&has_arguments(new, old, args)))
                        continue;
                note_unpaired(plan, old, new ? args : NULL);
                if (!new)
                        return;
        } while (arguments_step(&arguments));
}

/* Filters are of the new side's names, so they tell nothing of an old side that is compared by a name of its own. */
int pairing_apply(RunPlan *plan, const PlanInput *input, const Benchd__RunRequest *request) {
        const FilterList filters = { request->filters, request->n_filters };
        const Benchd__Comparison *comparison = request->comparison;

        plan->unpaired = calloc(PLAN_UNPAIRED_MAX, sizeof *plan->unpaired);
        if (!plan->unpaired)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < plan->n_entries; i++)
                pair_entry(&plan->entries[i], input, comparison);
        keep_pairs(plan, input);
        for (uint32_t i = 0; i < input->old->n_entries && !comparison->benchmark; i++) {
                const ListingEntry *old = &input->old->entries[i];

                note_only_old(plan, old, find_new(plan, input->listing, old), &filters);
        }
        if (comparison->benchmark && !has_old(&plan->entries[0]))
                return PLAN_E_NO_OLD_OF_THAT_NAME;
        if (plan->n_benchmarks == 0)
                return PLAN_E_NOTHING_IN_COMMON;
        return plan->n_benchmarks > PLAN_PAIRS_MAX ? PLAN_E_TOO_MANY_PAIRS : 0;
}
