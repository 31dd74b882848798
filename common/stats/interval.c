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

static void strata_fill(const double *values, const uint32_t *strata, size_t n,
                Stratum ret_rows[static INTERVAL_STRATA_MAX]) {
        for (size_t i = 0; i < n; i++) {
                Stratum *row = &ret_rows[stratum_of(strata, i)];
                const double deviation = values[i] - row->mean;

                row->mean += deviation / ++row->n;
                row->squares += deviation * (values[i] - row->mean);
        }
}

static bool has_freedom(size_t n, size_t n_strata) {
        return n >= n_strata + INTERVAL_STRATA_FREEDOM_MIN;
}

double interval_strata_freedom(size_t n, size_t n_strata) {
        return n_strata > 0 && has_freedom(n, n_strata) ? n - n_strata : n - 1.0;
}

int interval_strata_mean(const double *values, const uint32_t *strata, size_t n, IntervalStrataMean *ret_mean) {
        IntervalStrataMean mean = { .error = NAN, .freedom = NAN };
        double squares = 0, shares = 0;
        Stratum rows[INTERVAL_STRATA_MAX] = {};

        if (n == 0)
                return INTERVAL_STRATA_E_EMPTY;
        strata_fill(values, strata, n, rows);
        for (size_t i = 0; i < INTERVAL_STRATA_MAX; i++) {
                mean.means[i] = rows[i].n > 0 ? rows[i].mean : NAN;
                if (rows[i].n == 0)
                        continue;
                mean.n_strata++;
                mean.mean += rows[i].mean;
                squares += rows[i].squares;
                shares += 1.0 / rows[i].n;
        }
        mean.mean /= mean.n_strata;
        if (n >= INTERVAL_STRATA_N_MIN) {
                mean.freedom = interval_strata_freedom(n, mean.n_strata);
                mean.error = has_freedom(n, mean.n_strata) ? sqrt(squares / mean.freedom * shares) / mean.n_strata
                                                           : gsl_stats_sd(values, 1, n) / sqrt(n);
        }
        *ret_mean = mean;
        return 0;
}

void interval_strata_level(const double *values, const uint32_t *strata, size_t n, const IntervalStrataMean *mean,
                double *ret_values) {
        for (size_t i = 0; i < n; i++)
                ret_values[i] = values[i] - mean->means[stratum_of(strata, i)] + mean->mean;
}

static double student(double confidence, double freedom) {
        return gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
}

IntervalLogMean interval_log_mean(const Interval *interval, double confidence, double freedom) {
        IntervalLogMean mean = { .mean = NAN, .error = NAN, .freedom = freedom };

        if (interval->point > 0)
                mean.mean = log(interval->point);
        if (interval->point > 0 && interval->low > 0 && freedom > 0)
                mean.error = log(interval->high / interval->low) / 2 / student(confidence, freedom);
        return mean;
}

double interval_log_means_freedom(const IntervalLogMean *means, size_t n) {
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
                Interval *ret_interval) {
        IntervalStrataMean of;
        double half;

        if (interval_strata_mean(values, strata, n, &of) != 0)
                return INTERVAL_E_EMPTY;
        half = n >= INTERVAL_N_MIN ? student(confidence, of.freedom) * of.error : NAN;
        *ret_interval = (Interval){ .point = of.mean, .low = of.mean - half, .high = of.mean + half };
        return 0;
}

Interval interval_of_at_least(Interval interval, double half) {
        if (isfinite(interval.low)) {
                interval.low = fmin(interval.low, interval.point - half);
                interval.high = fmax(interval.high, interval.point + half);
        }
        return interval;
}

Interval interval_moved(Interval interval, double point) {
        return (Interval){
                .point = point,
                .low = interval.low + point - interval.point,
                .high = interval.high + point - interval.point,
        };
}

Interval interval_widened(Interval interval, double factor, bool of_logs) {
        if (factor == 1)
                return interval;
        if (of_logs)
                return (Interval){
                        .point = interval.point,
                        .low = interval.point * pow(interval.low / interval.point, factor),
                        .high = interval.point * pow(interval.high / interval.point, factor),
                };
        interval.low = interval.point - factor * (interval.point - interval.low);
        interval.high = interval.point + factor * (interval.high - interval.point);
        return interval;
}

int interval_of_logs(const double *values, const uint32_t *strata, size_t n, double confidence,
                Interval *ret_interval) {
        _cleanup_(freep) double *logs = NULL;
        Interval of_logs;
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
        *ret_interval = (Interval){
                .point = exp(of_logs.point),
                .low = exp(of_logs.low),
                .high = exp(of_logs.high),
        };
        return 0;
}

size_t interval_processes_needed(double stddev, double freedom, size_t n, double half_width, double confidence) {
        double t = gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
        double needed;

        if (stddev == 0)
                return n;
        needed = ceil(pow(t * stddev / half_width, 2));
        return fmin(fmax(needed, n), INTERVAL_PROCESSES_MAX);
}

int interval_processes(const double *values, const uint32_t *strata, size_t n, double relative, double confidence,
                size_t *ret_n) {
        _cleanup_(freep) double *logs = malloc((n + 1) * sizeof *logs);
        IntervalStrataMean mean;

        if (!logs)
                return error_origin(-ENOMEM);
        if (n < INTERVAL_STRATA_N_MIN)
                return INTERVAL_PROCESSES_E_TOO_FEW;
        for (size_t i = 0; i < n; i++) {
                if (!(values[i] > 0))
                        return INTERVAL_PROCESSES_E_NOT_POSITIVE;
                logs[i] = log(values[i]);
        }
        (void)interval_strata_mean(logs, strata, n, &mean);
        *ret_n = interval_processes_needed(mean.error * sqrt(n), mean.freedom, n, log1p(relative), confidence);
        return 0;
}

double interval_unseen_share(size_t n, double confidence) {
        return 1 - pow(1 - confidence, 1.0 / n);
}
