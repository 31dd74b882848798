/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How often the statistics of a run are right: simulated runs go through the functions that the daemon uses, and what
 * comes out is counted.
 */

#include <gsl/gsl_rng.h>
#include <stddef.h>

typedef struct Scenario Scenario;

typedef struct Simulation {
        gsl_rng *random;
        size_t n_draws;
        size_t n_processes; /* in a run */
        size_t n_samples;   /* in a process */
} Simulation;

/* Shares of the draws, but for half_width. */
typedef struct RunRates {
        double covered;     /* the 95 % interval holds what endless processes would give */
        double unwidened;   /* the same, without the widening for processes that resemble the one before */
        double half_width;  /* of the interval, relative, mean */
        double lineless;    /* as covered, by an interval that leaves a straight line over the run out of the spread */
        double paired;      /* A/A in one process, margin 0: the interval excludes 1 */
        double independent; /* A/A in processes of their own, one run after the other */
        double pooled;      /* the same samples in one heap each, by rank test at 5 %: the usual way */
        double modes;       /* more than one mode among the processes' medians */
        double none_slow;   /* no slow process among them to be seen */
} RunRates;

/* Returns 0 or a negative errno. */
int run_rates(const Simulation *simulation, const Scenario *scenario, RunRates *ret_rates);

typedef struct SampleRates {
        double modes_of_processes; /* of n_processes values: more than one mode by that rule */
        double modes_of_samples;   /* of n_samples values, by the other */
        double drift;              /* of n_samples values: p under 5 % */
} SampleRates;

/* Counts what is named in single draws of values without processes. Returns 0 or a negative errno. */
int sample_rates(const Simulation *simulation, const Scenario *scenario, SampleRates *ret_rates);
