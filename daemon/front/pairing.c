/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/pairing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "front/arguments.h"
#include "front/filter.h"
#include "front/plan.h"
#include "util/error.h"

/* One side's benchmark, whose name may be given. */
static bool name_matches(const char *area, const char *name, const char *given) {
        size_t n = strlen(area);

        return strncmp(given, area, n) == 0 && given[n] == '/' && strcmp(given + n + 1, name) == 0;
}

/* Whether @old is the other side of @entry. */
static bool entry_matches(const PlanEntry *entry, const ListingEntry *old, const Benchd__Comparison *comparison) {
        if (comparison->benchmark)
                return name_matches(entry->area, entry->name, comparison->new_benchmark) &&
                       name_matches(old->area, old->name, comparison->benchmark);
        return strcmp(entry->area, old->area) == 0 && strcmp(entry->name, old->name) == 0;
}

static const ListingEntry *find_old(const PlanEntry *entry, const ListingBlock *old,
                const Benchd__Comparison *comparison) {
        for (uint32_t i = 0; i < old->n_entries; i++)
                if (entry_matches(entry, &old->entries[i], comparison))
                        return &old->entries[i];
        return NULL;
}

static bool has_arguments(const ListingEntry *old, const PlanEntry *entry, const int64_t *args) {
        Arguments arguments;
        int64_t own[RUNNER_ARGS_MAX];

        if (old->n_axes != entry->n_args)
                return false;
        for (uint32_t i = 0; i < old->n_axes; i++)
                if (strcmp(old->axes[i].name, entry->arg_names[i]) != 0)
                        return false;
        arguments_init(&arguments, old);
        do {
                arguments_get(&arguments, own);
                if (memcmp(own, args, sizeof own) == 0)
                        return true;
        } while (arguments_step(&arguments));
        return false;
}

static void name_set(PlanName *name, const char *area, const char *own) {
        memcpy(name->area, area, sizeof name->area);
        memcpy(name->name, own, sizeof name->name);
}

/* Gives each entry its other side; what has none stays without a name there. */
static void pair_entries(RunPlan *plan, const ListingBlock *old, const Benchd__Comparison *comparison) {
        for (size_t i = 0; i < plan->n_entries; i++) {
                const ListingEntry *found = find_old(&plan->entries[i], old, comparison);

                if (found)
                        name_set(&plan->entries[i].old, found->area, found->name);
                else if (!comparison->benchmark)
                        name_set(&plan->unpaired[plan->n_unpaired++], plan->entries[i].area, plan->entries[i].name);
        }
        plan->n_only_new = plan->n_unpaired;
}

static bool is_paired(const RunPlan *plan, const ListingEntry *old) {
        for (size_t i = 0; i < plan->n_entries; i++)
                if (strcmp(plan->entries[i].old.area, old->area) == 0 &&
                                strcmp(plan->entries[i].old.name, old->name) == 0)
                        return true;
        return false;
}

/* What only the old side has, as far as the filters mean it. */
static void note_only_old(RunPlan *plan, const ListingBlock *old, const Benchd__RunRequest *request) {
        const FilterList filters = { request->filters, request->n_filters };

        for (uint32_t i = 0; i < old->n_entries && !request->comparison->benchmark; i++) {
                const ListingEntry *entry = &old->entries[i];
                Arguments arguments;
                int64_t args[RUNNER_ARGS_MAX];

                arguments_init(&arguments, entry);
                arguments_get(&arguments, args);
                if (!is_paired(plan, entry) && filters_select(&filters, entry, args, entry->hidden))
                        name_set(&plan->unpaired[plan->n_unpaired++], entry->area, entry->name);
        }
}

static bool benchmark_has_pair(const RunPlan *plan, const PlanBenchmark *benchmark, const ListingBlock *old) {
        const PlanEntry *entry = &plan->entries[benchmark->entry];

        if (benchmark->threads > 1)
                return false;
        for (uint32_t i = 0; i < old->n_entries; i++)
                if (strcmp(old->entries[i].area, entry->old.area) == 0 &&
                                strcmp(old->entries[i].name, entry->old.name) == 0)
                        return has_arguments(&old->entries[i], entry, benchmark->args);
        return false;
}

int pairing_apply(RunPlan *plan, const ListingBlock *old, const Benchd__RunRequest *request) {
        size_t n = 0;

        plan->unpaired = calloc(plan->n_entries + old->n_entries + 1, sizeof *plan->unpaired);
        if (!plan->unpaired)
                return error_origin(-ENOMEM);
        pair_entries(plan, old, request->comparison);
        note_only_old(plan, old, request);
        for (size_t i = 0; i < plan->n_benchmarks; i++)
                if (benchmark_has_pair(plan, &plan->benchmarks[i], old))
                        plan->benchmarks[n++] = plan->benchmarks[i];
        plan->n_benchmarks = n;
        if (n == 0)
                return PLAN_E_NOTHING_IN_COMMON;
        return n > PLAN_PAIRS_MAX ? PLAN_E_TOO_MANY_PAIRS : 0;
}
