/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a module holds, as a test writes it, and the plan of its run.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <cmocka.h>

#include "front/plan/plan.h"

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

/* For a machine that has four CPUs to lend. Returns as plan_new() does. */
static inline int plan_listing(const ListingBlock *listing, const Benchd__RunRequest *request, uint64_t seed,
                RunPlan **ret_plan) {
        return plan_new(&(PlanInput){ .listing = listing, .threads_max = 4 }, request, seed, ret_plan);
}

static inline RunPlan *make_plan(const ListingBlock *listing, const Benchd__RunRequest *request, uint64_t seed) {
        RunPlan *plan;

        assert_int_equal(plan_listing(listing, request, seed, &plan), 0);
        return plan;
}

static inline uint64_t draw_seed(void) {
        uint64_t seed;

        assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
        print_message("seed %llu\n", (unsigned long long)seed);
        return seed;
}
