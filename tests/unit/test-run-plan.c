/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The plan of a run as a whole: what is too much for it, and what of it reaches each process.
 */

#include "front/plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/jobs/spawn.h"
#include "listing.h"
#include "util/time.h"

static void options_of_every_process_reach_its_plan(void **state) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        static OpsRecord record;

        add_entry(listing, "a", "x");
        request.trace = request.has_trace = 1;
        request.no_prime = request.has_no_prime = 1;
        request.has_cold = 1;
        plan = make_plan(listing, &request, 1);
        spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = NS_PER_S }, plan, &plan->processes[0], &record);
        assert_int_equal(record.spawn.plan.options, RUNNER_OPTION_TRACE | RUNNER_OPTION_UNPRIMED);
        assert_int_equal(ops_check(&record, 0), 0);
}

static uint64_t warmup_of(const RunPlan *plan, size_t index) {
        static OpsRecord record;

        spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = NS_PER_S }, plan, &plan->processes[index], &record);
        assert_int_equal(ops_check(&record, 0), 0);
        return record.spawn.plan.schedule.warmup_min_ns;
}

static void the_first_process_of_a_run_warms_up_for_longer_unless_it_is_told_how_long(void **state) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunPlan *plan;

        add_entry(listing, "a", "x");
        add_entry(listing, "a", "y");
        plan = make_plan(listing, &request, 1);
        assert_int_equal(warmup_of(plan, 0), 20 * NS_PER_MS);
        for (size_t i = 1; i < plan->n_processes; i++)
                assert_int_equal(warmup_of(plan, i), 8 * NS_PER_MS);
        run_plan_free(plan);

        request.warmup_ns = 3 * NS_PER_MS, request.has_warmup_ns = 1;
        plan = make_plan(listing, &request, 1);
        assert_int_equal(warmup_of(plan, 0), 3 * NS_PER_MS);
        run_plan_free(plan);
}

static void too_much_is_told_apart(void **state) {
        _cleanup_(freep) ListingBlock *listing = listing_new();
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        ListingEntry *entry = add_entry(listing, "a", "x");
        RunPlan *plan;

        add_range(entry, "n", 1, INT64_C(1) << 21, 2);
        add_range(entry, "m", 1, INT64_C(1) << 20, 2);
        request.has_processes = 1;
        request.processes = 1000;
        assert_int_equal(plan_listing(listing, &request, 1, &plan), PLAN_E_TOO_MANY_PROCESSES);
        request.has_samples = 1;
        request.samples = 4096;
        assert_int_equal(plan_listing(listing, &request, 1, &plan), PLAN_E_TOO_MANY_SAMPLES);
        add_range(entry, "k", 1, INT64_C(1) << 62, 2);
        add_range(entry, "l", 1, INT64_C(1) << 62, 2);
        assert_int_equal(plan_listing(listing, &request, 1, &plan), PLAN_E_TOO_MANY_BENCHMARKS);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(options_of_every_process_reach_its_plan),
                cmocka_unit_test(the_first_process_of_a_run_warms_up_for_longer_unless_it_is_told_how_long),
                cmocka_unit_test(too_much_is_told_apart),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
