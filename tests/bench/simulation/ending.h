/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How often a comparison that ends by itself is right, and after how many pairs (stats/sequence.h): made-up log ratios of pairs go through
 * the functions that the daemon uses, in the order and at the places of the code that the daemon gives them.
 */

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

/* Noise of pairs, of standard deviation 1 and mean 0. */
typedef enum EndingNoise {
        ENDING_NORMAL,
        ENDING_T3,        /* Student's t with 3 degrees */
        ENDING_MODES,     /* two modes, as frequent as each other, two deviations apart */
        ENDING_MODES_FAR, /* ... four deviations of the values within a mode apart */
        ENDING_LAG,       /* each resembles the one before by 0.3 */
        _ENDING_NOISE_N,
} EndingNoise;

typedef struct EndingScenario {
        EndingNoise noise;
        double spread;     /* standard deviation of pairs, of logs */
        double truth;      /* relative */
        bool fixed;        /* as many pairs as the daemon took before comparisons ended by themselves: ENDING_FIXED */
        unsigned n_strata; /* places of the code that differ, 1 for whole commands */
} EndingScenario;

#define ENDING_MARGIN 0.005
#define ENDING_FIXED  20u

typedef struct EndingRates {
        double faster, slower, same, none; /* shares of the draws */
        double covered;                    /* by the interval that is told */
        double mean_pairs;
        unsigned median_pairs;
} EndingRates;

const char *ending_noise_name(EndingNoise noise);

/* Returns 0 or a negative errno. */
int ending_rates(gsl_rng *random, size_t n_draws, const EndingScenario *scenario, EndingRates *ret_rates);

/*
 * The share of tables of @n_rows, each row on an edge of the margin and ending by itself, that call a row faster or slower. Returns 0 or a negative
 * errno.
 */
int ending_family_rate(gsl_rng *random, size_t n_draws, size_t n_rows, double *ret_share);
