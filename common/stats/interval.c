/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/interval.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"

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

static double student(double confidence, double freedom) {
        return gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
}

LogMean log_mean_of(const MeanInterval *interval, double confidence, double freedom) {
        LogMean mean = { .mean = NAN, .error = NAN, .freedom = freedom };

        if (interval->point > 0)
                mean.mean = log(interval->point);
        if (interval->point > 0 && interval->low > 0 && freedom > 0)
                mean.error = log(interval->high / interval->low) / 2 / student(confidence, freedom);
        return mean;
}

double log_means_freedom(const LogMean *means, size_t n) {
        double sum = 0, parts = 0, all = 0;

        for (size_t i = 0; i < n; i++) {
                double squared = means[i].error * means[i].error;

                sum += squared;
                parts += squared * squared / means[i].freedom;
                all += means[i].freedom;
        }
        return parts > 0 ? sum * sum / parts : all;
}

int interval_of_mean(const double *values, const uint32_t *strata, size_t n, double confidence,
                MeanInterval *ret_interval) {
        StrataMean of;
        double half;

        if (strata_mean(values, strata, n, &of) != 0)
                return INTERVAL_E_EMPTY;
        half = n >= INTERVAL_N_MIN ? student(confidence, of.freedom) * of.error : NAN;
        *ret_interval = (MeanInterval){ .point = of.mean, .low = of.mean - half, .high = of.mean + half };
        return 0;
}

MeanInterval interval_of_at_least(MeanInterval interval, double half) {
        if (isfinite(interval.low)) {
                interval.low = fmin(interval.low, interval.point - half);
                interval.high = fmax(interval.high, interval.point + half);
        }
        return interval;
}

MeanInterval interval_moved(MeanInterval interval, double point) {
        return (MeanInterval){
                .point = point,
                .low = interval.low + point - interval.point,
                .high = interval.high + point - interval.point,
        };
}

MeanInterval interval_widened(MeanInterval interval, double factor, bool of_logs) {
        if (factor == 1)
                return interval;
        if (of_logs)
                return (MeanInterval){
                        .point = interval.point,
                        .low = interval.point * pow(interval.low / interval.point, factor),
                        .high = interval.point * pow(interval.high / interval.point, factor),
                };
        interval.low = interval.point - factor * (interval.point - interval.low);
        interval.high = interval.point + factor * (interval.high - interval.point);
        return interval;
}

int interval_of_log_mean(const double *values, const uint32_t *strata, size_t n, double confidence,
                MeanInterval *ret_interval) {
        _cleanup_(freep) double *logs = NULL;
        MeanInterval of_logs;
        int r;

        if (n == 0)
                return INTERVAL_E_EMPTY;
        logs = malloc(n * sizeof *logs);
        if (!logs)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                if (values[i] <= 0)
                        return INTERVAL_E_NOT_POSITIVE;
                logs[i] = log(values[i]);
        }
        r = interval_of_mean(logs, strata, n, confidence, &of_logs);
        if (r)
                return r;
        *ret_interval = (MeanInterval){
                .point = exp(of_logs.point),
                .low = exp(of_logs.low),
                .high = exp(of_logs.high),
        };
        return 0;
}

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
