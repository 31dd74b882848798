/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/precision.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/strata.h"
#include "util/cleanup.h"
#include "util/error.h"

size_t precision_needed(double stddev, double freedom, size_t n, double half_width, double confidence) {
        double t = gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
        double needed;

        if (stddev == 0)
                return n;
        needed = ceil(pow(t * stddev / half_width, 2));
        return fmin(fmax(needed, n), PRECISION_N_MAX);
}

int precision_processes(const double *values, const uint32_t *strata, size_t n, double relative, double confidence,
                size_t *ret_n) {
        _cleanup_(freep) double *logs = malloc((n + 1) * sizeof *logs);
        StrataMean mean;

        if (!logs)
                return error_origin(-ENOMEM);
        if (n < STRATA_N_MIN)
                return PRECISION_E_TOO_FEW;
        for (size_t i = 0; i < n; i++) {
                if (!(values[i] > 0))
                        return PRECISION_E_NOT_POSITIVE;
                logs[i] = log(values[i]);
        }
        (void)strata_mean(logs, strata, n, &mean);
        *ret_n = precision_needed(mean.error * sqrt(n), mean.freedom, n, log1p(relative), confidence);
        return 0;
}

double precision_unseen_share(size_t n, double confidence) {
        return 1 - pow(1 - confidence, 1.0 / n);
}
