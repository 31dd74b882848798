/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a module holds, as a test writes it, and the plan of its run.
 */

#include "front/plan/chosen.h"
#include "front/plan/plan.h"
#include "test.h"

static inline ListingBlock *listing_new(void) {
        ListingBlock *listing = calloc(1, sizeof *listing);

        assert_non_null(listing);
        return listing;
}

static inline ListingEntry *add_entry(ListingBlock *listing, const char *area, const char *name) {
        ListingEntry *entry = &listing->entries[listing->n_entries++];

        strcpy(entry->area, area);
        strcpy(entry->name, name);
        return entry;
}

static inline void add_range(ListingEntry *entry, const char *name, int64_t first, int64_t last, int64_t factor) {
        ListingAxis *axis = &entry->axes[entry->n_axes++];

        strcpy(axis->name, name);
        axis->first = first;
        axis->last = last;
        axis->factor = factor;
}

/* The benchmarks that the filters of @request choose of @listing; NULL: it is not asked. */
static inline Chosen *choose(const ListingBlock *listing, const Benchd__RunRequest *request) {
        const ChosenWish wish = {
                .listing = listing,
                .filters = { request->filters, request->n_filters },
                .of_hidden = request->comparison && request->comparison->new_benchmark,
        };
        Chosen *chosen;

        int r = CHOSEN_E_MORE;

        if (!listing)
                return NULL;
        assert_int_equal(chosen_new(&wish, &chosen), 0);
        while (r == CHOSEN_E_MORE)
                r = chosen_step(chosen, NULL);
        assert_int_equal(r, 0);
        return chosen;
}

/* Plans the run of @listing, or the comparison with @old, on a machine with @cpus_max CPUs. Returns as plan_new() does. */
static inline int plan_sides(const ListingBlock *listing, const ListingBlock *old, uint32_t cpus_max,
                const Benchd__RunRequest *request, uint64_t seed, Plan **ret_plan) {
        const bool is_named = request->comparison && request->comparison->benchmark;
        _cleanup_(chosen_freep) Chosen *chosen = choose(listing, request);
        _cleanup_(chosen_freep) Chosen *old_chosen = choose(is_named ? NULL : old, request);
        const PlanInput input = { listing, old, cpus_max, chosen, old_chosen };

        return plan_new(&input, request, seed, ret_plan);
}

/* For a machine that has four CPUs to lend. */
static inline int plan_listing(const ListingBlock *listing, const Benchd__RunRequest *request, uint64_t seed,
                Plan **ret_plan) {
        return plan_sides(listing, NULL, 4, request, seed, ret_plan);
}

static inline Plan *make_plan(const ListingBlock *listing, const Benchd__RunRequest *request, uint64_t seed) {
        Plan *plan;

        assert_int_equal(plan_listing(listing, request, seed, &plan), 0);
        return plan;
}
