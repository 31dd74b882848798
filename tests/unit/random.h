/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Random numbers for tests of properties: a fresh seed each time, printed, so that a failure can be had again.
 */

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "test.h"

static inline gsl_rng *new_random(void) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

        gsl_rng_set(random, draw_seed());
        return random;
}

static inline void random_freep(gsl_rng **random) {
        gsl_rng_free(*random);
}

/*
 * How far a share counted over @n_trials may be off before it is no chance: a correct program fails once in two million. By the
 * binomial distribution itself, since five standard errors are too few where next to none are counted.
 */
static inline double share_tolerance(double share, int n_trials) {
        double rarer = fmin(share, 1 - share);
        unsigned most = rarer * n_trials;

        while (gsl_cdf_binomial_Q(most, rarer, n_trials) > 2.5e-7)
                most++;
        return (most + 0.5) / n_trials - rarer;
}
