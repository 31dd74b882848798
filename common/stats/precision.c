/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/precision.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "stats/variance.h"
#include "util/error.h"

size_t precision_needed(double stddev, size_t n, double half_width, double confidence) {
        double t = gsl_cdf_tdist_Pinv((1 + confidence) / 2, n - 1);
        double needed;

        if (stddev == 0)
                return n;
        needed = ceil(pow(t * stddev / half_width, 2));
        return fmin(fmax(needed, n), PRECISION_N_MAX);
}

int precision_processes(const double *values, size_t n, double relative, double confidence, size_t *ret_n) {
        VarianceGroup group;
        int r;

        if (n < 2)
                return PRECISION_E_TOO_FEW;
        r = variance_group(values, n, &group);
        if (r == VARIANCE_E_NOT_POSITIVE)
                return PRECISION_E_NOT_POSITIVE;
        if (r)
                return error_fold(r);
        *ret_n = precision_needed(sqrt(group.squares / (n - 1)), n, log1p(relative), confidence);
        return 0;
}

double precision_unseen_share(size_t n, double confidence) {
        return 1 - pow(1 - confidence, 1.0 / n);
}
