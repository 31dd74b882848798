/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/pairing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "front/plan/chosen.h"
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

/* The entries of a listing by name, then by area: two listings of a thousand entries are paired in their logarithm. */
typedef struct NameIndex {
        const ListingEntry **entries;
        size_t n;
} NameIndex;

static int entry_compare(const void *a, const void *b) {
        const ListingEntry *const *x = a, *const *y = b;
        const int r = strcmp((*x)->name, (*y)->name);

        return r ? r : strcmp((*x)->area, (*y)->area);
}

static int name_index_init(NameIndex *index, const ListingBlock *listing) {
        index->entries = calloc(listing->n_entries + 1, sizeof *index->entries);
        if (!index->entries)
                return error_origin(-ENOMEM);
        for (index->n = 0; index->n < listing->n_entries; index->n++)
                index->entries[index->n] = &listing->entries[index->n];
        qsort(index->entries, index->n, sizeof *index->entries, entry_compare);
        return 0;
}

/* The number of the first entry of @name whose area is not before @area. */
static size_t name_index_seek(const NameIndex *index, const char *area, const char *name) {
        size_t low = 0, high = index->n;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;
                const ListingEntry *entry = index->entries[middle];
                const int r = strcmp(entry->name, name);

                if (r < 0 || (r == 0 && strcmp(entry->area, area) < 0))
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static bool name_index_is(const NameIndex *index, size_t i, const char *name) {
        return i < index->n && strcmp(index->entries[i]->name, name) == 0;
}

static const ListingEntry *name_index_find(const NameIndex *index, const char *area, const char *name) {
        const size_t i = name_index_seek(index, area, name);

        return name_index_is(index, i, name) && strcmp(index->entries[i]->area, area) == 0 ? index->entries[i] : NULL;
}

/* The only entry of @name. */
static const ListingEntry *name_index_find_only(const NameIndex *index, const char *name) {
        const size_t i = name_index_seek(index, "", name);

        return name_index_is(index, i, name) && !name_index_is(index, i + 1, name) ? index->entries[i] : NULL;
}

/* ---- pairs */

/* Both listings, and the entries of each pair. */
typedef struct Sides {
        const PlanInput *input;
        NameIndex new, old;
        const ListingEntry *news[LISTING_ENTRIES_MAX + 2]; /* of each entry of the plan */
        const ListingEntry *olds[LISTING_ENTRIES_MAX + 2]; /* of the same; NULL: none */
        const ListingEntry *others[LISTING_ENTRIES_MAX]; /* the new side of each entry of the old listing; NULL: none */
} Sides;

static Sides *sides_free(Sides *sides) {
        if (!sides)
                return NULL;
        free(sides->new.entries);
        free(sides->old.entries);
        free(sides);
        return NULL;
}

DEFINE_CLEANUP(Sides *, sides_free)

static int sides_new(const PlanInput *input, Sides **ret_sides) {
        _cleanup_(sides_freep) Sides *sides = NULL;
        int r;

        sides = calloc(1, sizeof *sides);
        if (!sides)
                return error_origin(-ENOMEM);
        sides->input = input;
        r = name_index_init(&sides->new, input->listing);
        if (r == 0)
                r = name_index_init(&sides->old, input->old);
        if (r)
                return error_trace(r);
        *ret_sides = take_pointer(sides);
        return 0;
}

/*
 * The other side of a benchmark: that of its area and name, or else the one of its name alone, if each side has but one of it. Areas
 * are named after files by default, so two files of one program have other areas.
 */
static const ListingEntry *find_old(const Sides *sides, const char *area, const char *name) {
        const ListingEntry *old = name_index_find(&sides->old, area, name);

        return old || !name_index_find_only(&sides->new, name) ? old : name_index_find_only(&sides->old, name);
}

/* A comparison by name has one entry, whose name was chosen before. */
static void pair_entry(Sides *sides, PlanEntry *entry, size_t i, const Benchd__Comparison *comparison) {
        const ListingBlock *listing = sides->input->old;
        const ListingEntry *old = comparison->benchmark ? pairing_find_named(listing, comparison->benchmark)
                                                        : find_old(sides, entry->area, entry->name);

        sides->news[i] = name_index_find(&sides->new, entry->area, entry->name);
        sides->olds[i] = old;
        if (!old)
                return;
        sides->others[old - listing->entries] = sides->news[i];
        memcpy(entry->old.area, old->area, sizeof entry->old.area);
        memcpy(entry->old.name, old->name, sizeof entry->old.name);
        memcpy(entry->old_title, old->title, sizeof entry->old_title);
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

static void note_unpaired(Plan *plan, const ListingEntry *entry, const ArgumentValue *args) {
        if (plan->n_unpaired < PLAN_UNPAIRED_MAX)
                filter_path(entry, args, plan->unpaired[plan->n_unpaired++].text);
        else
                plan->n_unnamed++;
}

/* True if @benchmark stays in @plan. Others are noted: one that has no other side at all once, without arguments. */
static bool keep_benchmark(Plan *plan, const Sides *sides, const PlanBenchmark *benchmark, bool is_first) {
        const ListingEntry *new = sides->news[benchmark->entry], *old = sides->olds[benchmark->entry];

        if (!old) {
                if (is_first)
                        note_unpaired(plan, new, NULL);
                return false;
        }
        if (benchmark->threads > 1 || (benchmark->cpus > 1 && !(plan->options & RUNNER_OPTION_COMMANDS))) {
                plan->n_of_cpus++;
                return false;
        }
        if (!has_arguments(old, new, benchmark->args)) {
                note_unpaired(plan, new, benchmark->args);
                return false;
        }
        return true;
}

static void keep_pairs(Plan *plan, const Sides *sides) {
        uint32_t before = UINT32_MAX;
        size_t n = 0;

        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const PlanBenchmark benchmark = plan->benchmarks[i];

                if (keep_benchmark(plan, sides, &benchmark, benchmark.entry != before))
                        plan->benchmarks[n++] = benchmark;
                before = benchmark.entry;
        }
        plan->n_benchmarks = n;
        plan->n_only_new = plan->n_unpaired;
}

/* Notes the chosen arguments of the old entry @i that its new side does not have; without a new side the benchmark, once. */
static void note_only_old(Plan *plan, const Sides *sides, uint32_t i) {
        const ListingEntry *old = &sides->input->old->entries[i], *new = sides->others[i];
        ArgumentValue args[RUNNER_ARGS_MAX];
        Arguments arguments;

        arguments_init(&arguments, old);
        for (size_t set = 0; chosen_next(sides->input->old_chosen, i, set, &set); set++) {
                arguments_seek(&arguments, set);
                arguments_get(&arguments, args);
                if (new &&has_arguments(new, old, args))
                        continue;
                note_unpaired(plan, old, new ? args : NULL);
                if (!new)
                        return;
        }
}

/* Filters refer to the new side's names, so they do not apply to an old side with a different name. */
int pairing_apply(Plan *plan, const PlanInput *input, const Benchd__RunRequest *request) {
        const Benchd__Comparison *comparison = request->comparison;
        _cleanup_(sides_freep) Sides *sides = NULL;
        int r;

        plan->unpaired = calloc(PLAN_UNPAIRED_MAX, sizeof *plan->unpaired);
        if (!plan->unpaired)
                return error_origin(-ENOMEM);
        r = sides_new(input, &sides);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < plan->n_entries; i++)
                pair_entry(sides, &plan->entries[i], i, comparison);
        keep_pairs(plan, sides);
        for (uint32_t i = 0; i < input->old->n_entries && !comparison->benchmark; i++)
                note_only_old(plan, sides, i);
        if (comparison->benchmark && !sides->olds[0])
                return PLAN_E_NO_OLD_OF_THAT_NAME;
        if (plan->n_benchmarks == 0)
                return PLAN_E_NOTHING_IN_COMMON;
        return plan->n_benchmarks > PLAN_PAIRS_MAX ? PLAN_E_TOO_MANY_PAIRS : 0;
}
