/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/drift.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/autocorrelation.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

static int values_copy(const double *values, size_t n, double **ret_copy) {
        double *copy = malloc(n * sizeof *copy);

        if (!copy)
                return error_origin(-ENOMEM);
        memcpy(copy, values, n * sizeof *copy);
        *ret_copy = copy;
        return 0;
}

int drift_slope(const double *values, size_t n, double *ret_slope) {
        _cleanup_(freep) double *slopes = NULL;
        size_t n_slopes = 0;

        slopes = malloc(n * (n - 1) / 2 * sizeof *slopes);
        if (!slopes)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++)
                        slopes[n_slopes++] = (values[j] - values[i]) / (double)(j - i);
        *ret_slope = quantile_median(slopes, n_slopes);
        return 0;
}

/* How many pairs rise, less how many fall. */
static double kendall_s(const double *values, size_t n) {
        double s = 0;

        for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++)
                        s += (values[j] > values[i]) - (values[j] < values[i]);
        return s;
}

static double kendall_term(double n) {
        return n * (n - 1) * (2 * n + 5);
}

static double kendall_variance(const double *sorted, size_t n) {
        double variance = kendall_term(n);

        for (size_t i = 0, n_ties; i < n; i += n_ties) {
                for (n_ties = 1; i + n_ties < n && sorted[i + n_ties] == sorted[i]; n_ties++)
                        ;
                variance -= kendall_term(n_ties);
        }
        return variance / 18;
}

int drift_mann_kendall(const double *values, size_t n, double inflation, double *ret_z) {
        _cleanup_(freep) double *sorted = NULL;
        double s = kendall_s(values, n), z = 0;
        int r;

        r = values_copy(values, n, &sorted);
        if (r)
                return error_trace(r);
        quantile_sort(sorted, n);
        if (fabs(s) > 1)
                z = copysign(fabs(s) - 1, s) / sqrt(inflation * kendall_variance(sorted, n));
        *ret_z = z;
        return 0;
}

/* n / (effective size) of what @slope leaves over of @points. */
static int residual_inflation(const double *points, size_t n, double slope, double *ret_inflation) {
        _cleanup_(freep) double *residuals = NULL;
        Autocorrelation autocorrelation;
        int r;

        r = values_copy(points, n, &residuals);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n; i++)
                residuals[i] -= slope * i;
        r = autocorrelation_of(residuals, n, &autocorrelation);
        if (r)
                return error_fold(r);
        *ret_inflation = n / autocorrelation.ess;
        return 0;
}

/* Trend of @n points, each the median of @n_group of the sequence's values. */
static int drift_of_points(const double *points, size_t n, size_t n_group, Drift *ret_drift) {
        _cleanup_(freep) double *sorted = NULL;
        double slope, inflation = 1, z, median;
        int r;

        r = drift_slope(points, n, &slope);
        if (r)
                return error_trace(r);
        r = residual_inflation(points, n, slope, &inflation);
        if (r)
                return error_trace(r);
        r = drift_mann_kendall(points, n, inflation, &z);
        if (r)
                return error_trace(r);
        r = values_copy(points, n, &sorted);
        if (r)
                return error_trace(r);
        median = quantile_median(sorted, n);
        *ret_drift = (Drift){
                .change = median > 0 ? slope * (n - 1.0 / n_group) / median : NAN,
                .p_value = 2 * gsl_cdf_ugaussian_Q(fabs(z)),
        };
        return 0;
}

int drift_of(const double *values, size_t n, Drift *ret_drift) {
        size_t n_group = (n + DRIFT_POINTS_MAX - 1) / DRIFT_POINTS_MAX, n_points;
        _cleanup_(freep) double *points = NULL;
        int r;

        if (n < DRIFT_N_MIN)
                return DRIFT_E_TOO_FEW;
        n_points = n / n_group;
        r = values_copy(values + n % n_group, n_points * n_group, &points);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n_points; i++)
                points[i] = quantile_median(points + i * n_group, n_group);
        r = drift_of_points(points, n_points, n_group, ret_drift);
        return r ? error_trace(r) : 0;
}
