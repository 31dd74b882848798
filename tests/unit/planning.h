/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan of a run that a test describes: of what a module and an older one hold, and what is asked for. Each test begins with empty
 * ones, and its plan is freed after it.
 */

#include "listing.h"

static ListingBlock *listing, *old_listing;
static Benchd__RunRequest request;
static Benchd__Comparison comparison;
static Plan *plan;

/* Empties all, for another row of a table. */
static inline void plan_afresh(void) {
        plan = plan_free(plan);
        memset(listing, 0, sizeof *listing);
        memset(old_listing, 0, sizeof *old_listing);
        request = (Benchd__RunRequest)BENCHD__RUN_REQUEST__INIT;
        comparison = (Benchd__Comparison)BENCHD__COMPARISON__INIT;
}

/* Plans anew with what the test says by now. Returns as plan_new() does. */
static inline int try_plan(uint64_t seed) {
        const bool compares = request.comparison;

        plan = plan_free(plan);
        return plan_sides(listing, compares ? old_listing : NULL, 4, &request, seed, &plan);
}

static inline const Plan *plan_again(uint64_t seed) {
        assert_int_equal(try_plan(seed), 0);
        return plan;
}

static inline int set_up(void **state) {
        listing = listing_new();
        old_listing = listing_new();
        plan_afresh();
        return 0;
}

static inline int tear_down(void **state) {
        plan = plan_free(plan);
        free(listing);
        free(old_listing);
        return 0;
}

TEST_EACH(set_up, tear_down)
