/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Made-up benchmarks: how the samples of processes come about. All scales are relative.
 */

#include <gsl/gsl_rng.h>
#include <stddef.h>

typedef double (*NoiseDraw)(gsl_rng *random, double scale);

typedef struct Scenario {
        const char *name;
        NoiseDraw noise; /* factor of one sample */
        double scale;
        double repeat;       /* autocorrelation of the noise, where it is normal */
        double between;      /* standard deviation of the processes' levels */
        double drift_within; /* rise over the samples of each process */
        double drift_across; /* rise over the processes of one run */
        double wander;       /* standard deviation of levels that resemble the one before */
        double resemblance;  /* ... by this autocorrelation */
        double slow_share;   /* processes that are slow altogether */
        double slow_factor;
} Scenario;

extern const Scenario scenarios[];
extern const size_t n_scenarios;

double noise_normal(gsl_rng *random, double scale);      /* 1 + normal */
double noise_lognormal(gsl_rng *random, double scale);   /* exp(normal) */
double noise_exponential(gsl_rng *random, double scale); /* 1 + exponential: never early, often late */
double noise_pareto(gsl_rng *random, double scale);      /* Pareto of exponent 1 / scale */
double noise_quantized(gsl_rng *random, double scale);   /* normal, on a clock of 40 % of its deviation */
double noise_stragglers(gsl_rng *random, double scale);  /* normal; 10 of 100 stretched, by up to twice */
double noise_two(gsl_rng *random, double scale);         /* 50 or 72 in 60 and 40 of 100, each lognormal */

/* The level of the process at @where (0 to 1) of its run, which has wandered to @wander: NaN before the first. */
double scenario_level(const Scenario *scenario, gsl_rng *random, double where, double *wander);

/* The @n samples of a process of @level, in time order. */
void scenario_samples(const Scenario *scenario, gsl_rng *random, double level, double *samples, size_t n);
