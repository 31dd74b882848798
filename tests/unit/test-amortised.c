/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rare slow parts: told as the mean that they make, and never where disturbance explains the long batches. */

#include <gsl/gsl_randist.h>

#include "front/samples/amortised.h"
#include "random.h"

#define PROCESSES 12
#define SAMPLES   200
#define COUNT     1000 /* iterations of a batch */
#define ALONE_NS  25.0
#define SHARED_NS 40.0

static SampleBlock block;
static double ns[SAMPLES];
static const ClockFacts clock_facts = { .hz = 1e9 };

/* What happens to a batch: the time that it takes longer by, and its marks. */
typedef double (*Happen)(gsl_rng *random, uint32_t *ret_flags);

static bool find(gsl_rng *random, Happen happen, AmortisedFound *ret_found) {
        const AmortisedLevels levels = { .alone_ns = ALONE_NS, .shared_ns = SHARED_NS };
        double medians[PROCESSES];
        uint32_t places[PROCESSES];
        Amortised amortised = {};
        bool found;

        for (uint32_t i = 0; i < PROCESSES; i++) {
                block = (SampleBlock){ .n_samples = SAMPLES,
                        .n_threads = 1,
                        .threads = { { .ops_per_iteration = 1 } } };
                for (uint32_t j = 0; j < SAMPLES; j++) {
                        uint32_t flags = 0;
                        const double extra_ns = happen(random, &flags);
                        const double level = flags & MARK_SHARED ? SHARED_NS : ALONE_NS;

                        block.samples[j] = (Sample){ .iterations = COUNT, .ticks = 1, .flags = flags };
                        ns[j] = level * gsl_ran_lognormal(random, 0, 0.01) + extra_ns / COUNT;
                }
                assert_int_equal(amortised_add(&amortised, &block, &clock_facts, ns, &levels), 0);
                medians[i] = ALONE_NS;
                places[i] = i % RUNNER_IMAGE_OFFSETS;
        }
        found = amortised_find(&amortised, medians, places, ALONE_NS, 0.001, ret_found);
        amortised_deinit(&amortised);
        return found;
}

/* A merge of 2 ms in each twentieth batch: 100 us a batch on average, 100 ns an operation. Long ones are interrupted and mostly shared. */
static double merge(gsl_rng *random, uint32_t *ret_flags) {
        if (gsl_rng_uniform(random) >= 0.05)
                return 0;
        *ret_flags = MARK_INTERRUPTED | (gsl_rng_uniform(random) < 0.9 ? MARK_SHARED : 0);
        return 2e6;
}

TEST(a_rare_slow_part_is_told_with_its_mean_though_its_batches_are_not_quiet) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        AmortisedFound found;

        for (int i = 0; i < 20; i++) {
                assert_true(find(random, merge, &found));
                assert_true(fabs(found.mean.point / (ALONE_NS + 100) - 1) < 0.6);
                assert_true(found.mean.low < found.mean.point && found.mean.point < found.mean.high);
                assert_true(fabs(found.batches / 20 - 1) < 0.6);
                assert_true(fabs(found.extra_ns / 2e6 - 1) < 0.03);
        }
}

static double neighbour(gsl_rng *random, uint32_t *ret_flags) {
        *ret_flags = gsl_rng_uniform(random) < 0.5 ? MARK_SHARED : 0;
        return 0;
}

static double interrupt(gsl_rng *random, uint32_t *ret_flags) {
        if (gsl_rng_uniform(random) >= 0.1)
                return 0;
        *ret_flags = gsl_rng_uniform(random) < 0.5 ? MARK_INTERRUPTED : 0;
        return gsl_ran_flat(random, 1000, 50000);
}

static double preemption(gsl_rng *random, uint32_t *ret_flags) {
        if (gsl_rng_uniform(random) >= 0.05)
                return 0;
        *ret_flags = gsl_rng_uniform(random) < 0.5 ? MARK_PREEMPTED : MARK_STOLEN;
        return gsl_ran_flat(random, 1e5, 1e7);
}

/* A hypervisor that no detector saw: in a process of four, which is no body's doing. */
static double stall(gsl_rng *random, uint32_t *ret_flags) {
        return gsl_rng_uniform(random) < 0.25 / SAMPLES ? 5e6 : 0;
}

static double nothing(gsl_rng *random, uint32_t *ret_flags) {
        return 0;
}

TEST(disturbance_explains_long_batches) {
        const Happen rows[] = { nothing, neighbour, interrupt, preemption, stall };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        AmortisedFound found;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                for (int j = 0; j < 20; j++)
                        assert_false(find(random, rows[i], &found));
}

/* A part that makes no difference is not worth a word: 120 us more in each thousandth batch of 25. */
static double small_part(gsl_rng *random, uint32_t *ret_flags) {
        return gsl_rng_uniform(random) < 0.001 ? 120000 : 0;
}

TEST(a_part_that_makes_no_difference_is_not_told) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        AmortisedFound found;

        assert_false(find(random, small_part, &found));
}
