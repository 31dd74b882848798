/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Searches for the commit of a simulated range that changed a time, by the posterior and the choices of benchctl bisect.
 */

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct BisectScenario {
        const char *name;
        size_t n_commits;
        double change;    /* 0: the ends do not differ but by their layout */
        double deviation; /* of a process */
        double layout;    /* of a build */
        double broken;    /* share of the commits that do not build, in runs of up to 8 */
        bool odd;         /* the layout of one build in twenty is off by five times as much */
} BisectScenario;

typedef struct BisectRates {
        double right;          /* shares of the searches */
        double wrong;          /* another commit was named */
        double none;           /* no change was named */
        double sure;           /* the commit has BISECTION_ENOUGH of the posterior */
        double claimed;        /* mean posterior of the commits that were named: as many should be right */
        double covered;        /* of the right ones: the interval at 95 % holds the change */
        double builds;         /* means, without the ends */
        double broken;         /* ... of those tried, the ones that failed */
        double processes;      /* with those of the ends */
        double most_processes; /* of a search in twenty, or more */
} BisectRates;

/* Returns 0 or a negative errno. */
int bisect_rates(gsl_rng *random, size_t n_draws, const BisectScenario *scenario, BisectRates *ret_rates);
