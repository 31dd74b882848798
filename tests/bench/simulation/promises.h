/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How often what a comparison promises comes true: its power, and the errors of its verdicts where the true ratio lies on an
 * edge of the margin. The log ratios of processes are normal; they go through the functions that the daemon uses.
 */

#include <gsl/gsl_rng.h>
#include <stddef.h>

/* Shares of the draws, but for the first. */
typedef struct PromiseRates {
        double multiple;   /* (ln detectable - ln margin) / half of the 95 % interval */
        double found;      /* another run finds a difference as large as detectable */
        double found_half; /* ... as large as the margin and half of the interval */
        double resolved; /* another run, of as many processes as are said to be needed, has the verdict of the truth */
        double same_at_edge;   /* truth on an edge of the margin: "same" */
        double same_by_95;     /* ... and so by the 95 % interval */
        double slower_at_edge; /* ... "slower" */
} PromiseRates;

/* Simulates comparisons of @n_processes. Returns 0 or a negative errno. */
int promise_rates(gsl_rng *random, size_t n_draws, size_t n_processes, PromiseRates *ret_rates);

/* The shares of tables, all of whose rows lie on the edge of a margin, that have a "faster" or "slower". */
typedef struct FamilyRates {
        double alone;  /* without adjustment */
        double of_one; /* Holm over p of a ratio of 1 */
        double beyond; /* Holm over p of the distance beyond the margin, which benchd does */
} FamilyRates;

/* Returns 0 or a negative errno. */
int family_rates(gsl_rng *random, size_t n_draws, size_t n_processes, size_t n_rows, double margin,
                FamilyRates *ret_rates);

/* The least processes with which 80 % of runs are the same by the interval at 90 and at 95 %; the truth lies at @truth margins. */
typedef struct SameNeeds {
        size_t by_90;
        size_t by_95;
} SameNeeds;

/* The processes' standard deviation is @spread margins. Returns 0 or a negative errno. */
int same_needs(gsl_rng *random, size_t n_draws, double truth, double spread, SameNeeds *ret_needs);
