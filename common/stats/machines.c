/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/machines.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "stats/interval.h"

/* Mean and squares of the machines' means, one of them left out: MACHINES_NONE leaves out none. */
typedef struct Moments {
        size_t n;
        double mean;
        double squares; /* sum of the squared deviations */
} Moments;

static Moments moments_without(const IntervalLogMean *machines, size_t n, size_t without) {
        Moments moments = {};

        for (size_t i = 0; i < n; i++) {
                double deviation = machines[i].mean - moments.mean;

                if (i == without)
                        continue;
                moments.mean += deviation / ++moments.n;
                moments.squares += deviation * (machines[i].mean - moments.mean);
        }
        return moments;
}

int machines_mean(const IntervalLogMean *machines, size_t n, IntervalLogMean *ret_mean) {
        Moments moments;

        if (n < MACHINES_N_MIN)
                return MACHINES_E_TOO_FEW;
        moments = moments_without(machines, n, MACHINES_NONE);
        *ret_mean = (IntervalLogMean){
                .mean = moments.mean,
                .error = sqrt(moments.squares / (n - 1) / n),
                .freedom = n - 1,
        };
        return 0;
}

static double mean_squared_error(const IntervalLogMean *machines, size_t n) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += machines[i].error * machines[i].error;
        return sum / n;
}

IntervalLogMean machines_mean_of_these(const IntervalLogMean *machines, size_t n) {
        double squared = mean_squared_error(machines, n);

        return (IntervalLogMean){
                .mean = moments_without(machines, n, MACHINES_NONE).mean,
                .error = sqrt(squared / n),
                .freedom = isnan(squared) ? NAN : interval_log_means_freedom(machines, n),
        };
}

Interval machines_interval(const IntervalLogMean *mean, double confidence, double step) {
        double half = NAN;

        if (isfinite(mean->error))
                half = fmax(step, mean->error * gsl_cdf_tdist_Pinv((1 + confidence) / 2, mean->freedom));
        return (Interval){
                .point = exp(mean->mean),
                .low = exp(mean->mean - half),
                .high = exp(mean->mean + half),
        };
}

/* p of Grubbs' test, two-sided, with @at as the one that lies farthest out. */
static double outlier_p(const IntervalLogMean *machines, size_t n, size_t at) {
        Moments others = moments_without(machines, n, at);
        double distance = fabs(machines[at].mean - others.mean), variance = others.squares / (n - 2);

        if (distance == 0)
                return 1;
        if (variance == 0)
                return 0;
        return fmin(1, 2 * n * gsl_cdf_tdist_Q(distance / sqrt(variance * (1 + 1.0 / (n - 1))), n - 2));
}

/* p of the distance of @at from the others by the noise of its own processes and theirs, two-sided, with the degrees of its own. */
static double noise_p(const IntervalLogMean *machines, size_t n, size_t at) {
        double own = machines[at].error * machines[at].error;
        double others = (n * mean_squared_error(machines, n) - own) / pow(n - 1, 2);
        double distance = fabs(machines[at].mean - moments_without(machines, n, at).mean);

        return own + others > 0 ? 2 * gsl_cdf_tdist_Q(distance / sqrt(own + others), machines[at].freedom) : 0;
}

size_t machines_farthest(const IntervalLogMean *machines, size_t n, double *ret_p) {
        double mean = moments_without(machines, n, MACHINES_NONE).mean;
        size_t farthest = 0;

        if (n < MACHINES_N_MIN) {
                *ret_p = 1;
                return MACHINES_NONE;
        }
        for (size_t i = 1; i < n; i++)
                if (fabs(machines[i].mean - mean) > fabs(machines[farthest].mean - mean))
                        farthest = i;
        *ret_p = outlier_p(machines, n, farthest);
        return farthest;
}

int machines_spread(const IntervalLogMean *machines, size_t n, double margin, MachinesSpread *ret_spread) {
        double within = mean_squared_error(machines, n), between, odd_p;
        MachinesSpread spread = { .odd = MACHINES_NONE };
        size_t farthest;

        if (n < 2)
                return MACHINES_E_TOO_FEW;
        if (isnan(within))
                return MACHINES_E_UNKNOWN;
        between = moments_without(machines, n, MACHINES_NONE).squares / (n - 1);
        spread.between = sqrt(fmax(between - within, 0));
        if (within > 0)
                spread.p_value = gsl_cdf_fdist_Q(between / within, n - 1, interval_log_means_freedom(machines, n));
        else
                spread.p_value = between > 0 ? 0 : 1;
        spread.differ = spread.p_value < MACHINES_P && spread.between > log1p(margin);
        farthest = machines_farthest(machines, n, &odd_p);
        if (spread.differ && odd_p < MACHINES_P && noise_p(machines, n, farthest) < MACHINES_P)
                spread.odd = farthest;
        *ret_spread = spread;
        return 0;
}

size_t machines_needed(const IntervalLogMean *mean, size_t n, double relative, double confidence) {
        return interval_processes_needed(mean->error * sqrt(n), n - 1.0, n, log1p(relative), confidence);
}
