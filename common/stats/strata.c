/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/strata.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

/* The values of one condition. */
typedef struct Stratum {
        size_t n;
        double mean;
        double squares; /* of the deviations from it */
} Stratum;

static uint32_t stratum_of(const uint32_t *strata, size_t index) {
        return strata ? strata[index] : 0;
}

static void strata_fill(const double *values, const uint32_t *strata, size_t n, Stratum ret_rows[static STRATA_MAX]) {
        for (size_t i = 0; i < n; i++) {
                Stratum *row = &ret_rows[stratum_of(strata, i)];
                const double deviation = values[i] - row->mean;

                row->mean += deviation / ++row->n;
                row->squares += deviation * (values[i] - row->mean);
        }
}

static bool has_freedom(size_t n, size_t n_strata) {
        return n >= n_strata + STRATA_FREEDOM_MIN;
}

double strata_freedom(size_t n, size_t n_strata) {
        return n_strata > 0 && has_freedom(n, n_strata) ? n - n_strata : n - 1.0;
}

int strata_mean(const double *values, const uint32_t *strata, size_t n, StrataMean *ret_mean) {
        StrataMean mean = { .error = NAN, .freedom = NAN };
        double squares = 0, shares = 0;
        Stratum rows[STRATA_MAX] = {};

        if (n == 0)
                return STRATA_E_EMPTY;
        strata_fill(values, strata, n, rows);
        for (size_t i = 0; i < STRATA_MAX; i++) {
                mean.means[i] = rows[i].n > 0 ? rows[i].mean : NAN;
                if (rows[i].n == 0)
                        continue;
                mean.n_strata++;
                mean.mean += rows[i].mean;
                squares += rows[i].squares;
                shares += 1.0 / rows[i].n;
        }
        mean.mean /= mean.n_strata;
        if (n >= STRATA_N_MIN) {
                mean.freedom = strata_freedom(n, mean.n_strata);
                mean.error = has_freedom(n, mean.n_strata) ? sqrt(squares / mean.freedom * shares) / mean.n_strata
                                                           : gsl_stats_sd(values, 1, n) / sqrt(n);
        }
        *ret_mean = mean;
        return 0;
}

void strata_level(const double *values, const uint32_t *strata, size_t n, const StrataMean *mean, double *ret_values) {
        for (size_t i = 0; i < n; i++)
                ret_values[i] = values[i] - mean->means[stratum_of(strata, i)] + mean->mean;
}
