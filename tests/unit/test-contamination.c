/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <gsl/gsl_randist.h>

#include "front/samples/contamination.h"
#include "random.h"

static SampleBlock block;

/* One sample a character of @pattern: '-' quiet, 's' shared. */
static double contamination(const char *pattern) {
        memset(&block, 0, sizeof block);
        block.n_threads = 1;
        for (; pattern[block.n_samples]; block.n_samples++)
                block.samples[block.n_samples].flags = pattern[block.n_samples] == 's' ? MARK_SHARED : 0;
        return contamination_of(&block);
}

TEST(a_core_that_was_always_or_never_alone_hides_nothing) {
        assert_true(contamination("--------------------") == 0);
        assert_true(contamination("ssssssssssssssssssss") == 0);
}

/* Chao: f1 (f1 - 1) / (2 (f2 + 1)) visits are unseen; and one shared sample in two hundred passes. */
TEST(visits_of_one_batch_tell_of_those_of_none) {
        assert_true(fabs(contamination("---s-----s-----s---") - (3 * 2 / 2.0 + 0.005 * 3) / 16) < 1e-12);
        assert_true(fabs(contamination("---s-----s--ss-s---") - (3 * 2 / 4.0 + 0.005 * 5) / 14) < 1e-12);
        assert_true(fabs(contamination("ssssssssssssss------") - 0.005 * 14 / 6) < 1e-12);
        assert_true(contamination("s-s-s-s-s-s-s-s-s-s-") == 1);
}

/*
 * A neighbour whose visits come at random and last exponentially, beside batches of 25 us with 16 us between them, in which a probe of a
 * microsecond stands at either end. Returns the samples that had it and are called quiet, and those that are expected.
 */
static void simulate(gsl_rng *random, double every_us, double visit_us, double *ret_hidden, double *ret_expected) {
        double visit = gsl_ran_exponential(random, every_us), end = visit + gsl_ran_exponential(random, visit_us),
               now = 0;
        bool shared[1000], had[1000];
        size_t n_quiet = 0;

        memset(&block, 0, sizeof block);
        block.n_threads = 1;
        block.n_samples = N_ELEMENTS(shared);
        *ret_hidden = 0;
        for (size_t i = 0; i < N_ELEMENTS(shared); i++, now += 41) {
                shared[i] = had[i] = false;
                while (visit < now + 27) {
                        had[i] |= end > now + 1;
                        shared[i] |= (visit < now + 1 && end > now) || (visit < now + 27 && end > now + 26);
                        if (end > now + 27)
                                break;
                        visit = end + gsl_ran_exponential(random, every_us);
                        end = visit + gsl_ran_exponential(random, visit_us);
                }
                block.samples[i].flags = shared[i] ? MARK_SHARED : 0;
        }
        for (size_t i = 0; i < N_ELEMENTS(shared); i++) {
                const bool beside = (i > 0 && shared[i - 1]) || (i + 1 < N_ELEMENTS(shared) && shared[i + 1]);

                block.samples[i].flags |= beside ? MARK_BESIDE_SHARED : 0;
                n_quiet += !shared[i] && !beside;
                *ret_hidden += !shared[i] && !beside && had[i];
        }
        *ret_expected = contamination_of(&block) * n_quiet;
}

/* Short visits are hidden in most batches that they fall into; the estimate is of their order, and not of that of long ones. */
TEST(the_estimate_follows_the_visits_that_are_hidden) {
        static const struct {
                double every_us, visit_us;
        } rows[] = { { 300, 10 }, { 1000, 10 }, { 300, 30 }, { 1000, 100 }, { 3000, 1000 } };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                double hidden = 0, expected = 0;

                for (int j = 0; j < 200; j++) {
                        double of_one, expected_of_one;

                        simulate(random, rows[i].every_us, rows[i].visit_us, &of_one, &expected_of_one);
                        hidden += of_one / 200;
                        expected += expected_of_one / 200;
                }
                print_message("a visit of %.0f us each %.0f us: %.1f of 1000 samples hide one, %.1f are expected\n",
                                rows[i].visit_us, rows[i].every_us, hidden, expected);
                assert_true(expected > hidden / 3);
                assert_true(expected < 4 * hidden + 10);
        }
}
