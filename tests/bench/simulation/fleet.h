/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How often numbers over several machines are right: made-up machines go through the functions that benchctl uses. The logs of
 * machines and of their processes are normal, and the truth over all machines of the type is 0.
 */

#include <gsl/gsl_rng.h>
#include <stddef.h>

typedef struct FleetScenario {
        size_t n_machines;
        double between;     /* standard deviation of the machines */
        size_t n_first;     /* processes of the first machine; FLEET_PROCESSES of the others */
        double noise_first; /* standard deviation of its processes; FLEET_NOISE of the others' */
} FleetScenario;

#define FLEET_PROCESSES 10u
#define FLEET_NOISE     0.01
#define FLEET_OFF       0.10 /* how much slower the odd machine is */

/* Shares of the draws, but for half_width. */
typedef struct FleetRates {
        double missed;         /* the 95 % interval over machines does not hold the truth */
        double half_width;     /* of that, mean */
        double missed_pooled;  /* the same, of one heap of all processes */
        double missed_these;   /* the same, of the interval over these machines */
        double missed_own;     /* the interval over these machines does not hold their own mean */
        double slower_at_edge; /* a comparison whose truth lies on an edge of the margin is called slower */
        double same_at_edge;   /* ... the same */
        double differ;         /* the machines are said to differ */
        double odd;            /* one is called odd, and none is */
        double odd_found;      /* one is FLEET_OFF slower, and is called odd */
} FleetRates;

/* Returns 0 or a negative errno. */
int fleet_rates(gsl_rng *random, size_t n_draws, const FleetScenario *scenario, FleetRates *ret_rates);
