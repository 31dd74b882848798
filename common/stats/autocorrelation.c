/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/autocorrelation.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stats/interval.h"
#include "util/cleanup.h"
#include "util/error.h"

#define SUCCESSION_QUANTILE 1.645 /* of a normal variable: 95 % are under it */

/* A power of two that leaves room for @n zeros, so that the transform's circle does not close on itself. */
static size_t padded_length(size_t n) {
        size_t length = 1;

        while (length < 2 * n)
                length *= 2;
        return length;
}

/* The transform of a real sequence, in GSL's half-complex order, becomes its power spectrum. */
static void power_spectrum(double *transform, size_t length) {
        transform[0] *= transform[0];
        transform[length / 2] *= transform[length / 2];
        for (size_t i = 1; i < length / 2; i++) {
                double re = transform[i], im = transform[length - i];

                transform[i] = re * re + im * im;
                transform[length - i] = 0;
        }
}

/* n times the autocovariances, at the head of a new array (Wiener and Khinchin). */
static int autocovariances_new(const double *values, size_t n, double **ret_covariances) {
        _cleanup_(freep) double *work = NULL;
        double mean = gsl_stats_mean(values, 1, n);
        size_t length = padded_length(n);

        work = calloc(length, sizeof *work);
        if (!work)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                work[i] = values[i] - mean;
        gsl_fft_real_radix2_transform(work, 1, length);
        power_spectrum(work, length);
        gsl_fft_halfcomplex_radix2_inverse(work, 1, length);
        *ret_covariances = take_pointer(work);
        return 0;
}

/* The number of values of the sequence that carry as much information as an independent one. */
static double initial_monotone_time(const double *covariances, size_t n) {
        double sum = 0, least = INFINITY;

        for (size_t lag = 0; lag + 1 < n; lag += 2) {
                double pair = (covariances[lag] + covariances[lag + 1]) / covariances[0];

                if (pair <= 0)
                        break;
                least = fmin(least, pair);
                sum += least;
        }
        return 2 * sum - 1;
}

int autocorrelation_of(const double *values, size_t n, Autocorrelation *ret_autocorrelation) {
        _cleanup_(freep) double *covariances = NULL;
        double min, max;
        int r;

        if (n < AUTOCORRELATION_N_MIN)
                return AUTOCORRELATION_E_TOO_FEW;
        gsl_stats_minmax(&min, &max, values, 1, n);
        if (min == max) {
                *ret_autocorrelation = (Autocorrelation){ .lag1 = NAN, .ess = n };
                return 0;
        }
        r = autocovariances_new(values, n, &covariances);
        if (r)
                return error_trace(r);
        *ret_autocorrelation = (Autocorrelation){
                .lag1 = covariances[1] / covariances[0],
                .ess = n / fmin(fmax(initial_monotone_time(covariances, n), 1), n),
        };
        return 0;
}

/* ---- from process to process */

int autocorrelation_of_logs(const double *values, const uint32_t *strata, size_t n,
                AutocorrelationLag *ret_succession) {
        _cleanup_(freep) double *logs = calloc(n + 1, sizeof *logs);
        Autocorrelation autocorrelation = { .lag1 = NAN };
        AutocorrelationLag succession = { .lag1 = NAN, .n = n };
        IntervalStrataMean mean;
        int r;

        if (!logs)
                return error_origin(-ENOMEM);
        *ret_succession = succession;
        for (size_t i = 0; i < n; i++) {
                if (!(values[i] > 0))
                        return 0;
                logs[i] = log(values[i]);
        }
        if (interval_strata_mean(logs, strata, n, &mean) != 0)
                return 0;
        succession.n = n - mean.n_strata + 1;
        if (succession.n >= AUTOCORRELATION_LOGS_N_MIN) {
                interval_strata_level(logs, strata, n, &mean, logs);
                r = autocorrelation_of(logs, n, &autocorrelation);
                if (r)
                        return error_fold(r);
                succession.lag1 = autocorrelation.lag1;
        }
        *ret_succession = succession;
        return 0;
}

bool autocorrelation_is_beyond(const AutocorrelationLag *succession) {
        const double n = succession->n;

        return n >= AUTOCORRELATION_LOGS_N_MIN &&
               succession->lag1 > (-1 + SUCCESSION_QUANTILE * sqrt(n - 2.0)) / (n - 1.0);
}

double autocorrelation_widening(const AutocorrelationLag *succession) {
        const double lag1 = succession->lag1;

        return autocorrelation_is_beyond(succession) ? sqrt((1 + lag1) / (1 - lag1)) : 1;
}
