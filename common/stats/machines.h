/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A number over several machines: its interval, the spread between them, and the one that lies apart.
 *
 * Machines of one type differ in ways that no number of processes shows. So the interval over machines is Student's t of the machines'
 * means, M - 1 degrees of freedom, and each machine counts once, however many processes it gave: where machines differ, pooling
 * processes misses the truth in 40 % of runs and more (tests/bench/README.md). "These machines" is the other question, of just the
 * ones that were measured: the error is only of the processes within them, with Satterthwaite's degrees of freedom (Biometrics
 * Bulletin 2, 1946; Welch, Biometrika 34, 1947).
 *
 * The spread between machines is the estimate of the analysis of variance with each machine counted once: the variance of the means
 * less the mean of their squared errors, 0 where that is negative (Searle, Casella and McCulloch, Variance Components, 1992, 3.6, in
 * the balanced case). Its test is Brown and Forsythe's F (Technometrics 16, 1974), which lets machines be noisy to different degrees;
 * of machines that are equally noisy it is the usual one.
 *
 * A machine is odd where the test of Grubbs (Technometrics 11, 1969) rejects the one that lies farthest out, by Student's t of its
 * distance from the others in units of their own spread, times M for the choice among M; and where the noise of its own processes does
 * not explain the distance. One so far out makes most of the spread by itself. Three machines hardly ever have an odd one: two that
 * agree may do so by chance.
 */

#include <stdbool.h>
#include <stddef.h>

#include "stats/interval.h"

#define MACHINES_N_MIN 3u   /* for an interval over machines, and for an odd one among them */
#define MACHINES_P     0.01 /* level of both tests: a table has many rows, and each may name something */
#define MACHINES_NONE  ((size_t)-1)

enum {
        _MACHINES_E_SUCCESS,

        MACHINES_E_TOO_FEW,
        MACHINES_E_UNKNOWN, /* a machine has too few processes for an error */
};

typedef struct MachinesSpread {
        double between; /* standard deviation of the logs from machine to machine, beyond what their processes explain */
        double p_value; /* of F: how often machines that are all alike lie as far apart */
        bool differ;    /* p_value is under MACHINES_P, and between is over the margin */
        size_t odd;     /* which machine lies apart from the others; MACHINES_NONE unless they differ */
} MachinesSpread;

/* The mean over machines that stand for all of their type. Returns 0 or E_TOO_FEW, under MACHINES_N_MIN. */
int machines_mean(const IntervalLogMean *machines, size_t n, IntervalLogMean *ret_mean);

/* The mean of just these @n machines (1 or more). Its error is NaN where that of a machine is. */
IntervalLogMean machines_mean_of_these(const IntervalLogMean *machines, size_t n);

/*
 * exp of @mean with its interval at @confidence, no half of which is under @step (of logs, 0 or more): as much the values may all be
 * off by. low and high are NaN where the error is.
 */
Interval machines_interval(const IntervalLogMean *mean, double confidence, double step);

/* The spread between @n machines, held against @margin (relative). Returns 0, E_TOO_FEW (under 2), or E_UNKNOWN. */
int machines_spread(const IntervalLogMean *machines, size_t n, double margin, MachinesSpread *ret_spread);

/* The machine farthest from the others of @n, and its p; MACHINES_NONE and 1 under MACHINES_N_MIN. */
size_t machines_farthest(const IntervalLogMean *machines, size_t n, double *ret_p);

/*
 * How many machines an interval over them at @confidence takes whose half is @relative of the point, from the mean over the first @n
 * (stats/interval.h). Not under @n.
 */
size_t machines_needed(const IntervalLogMean *mean, size_t n, double relative, double confidence);
